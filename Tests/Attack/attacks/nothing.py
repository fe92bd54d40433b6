"""Attacks that attack nothing: whether the suite finds that, too."""
from scene import attack
from wire import request


@attack("weak-method", succeeds_by="fault", seconds=1.5)
def weak_method(scene):
    """Requests for a method that there is none of"""
    scene.crowd(again=request(1, "lastword.discover") * 100).run().close()


@attack("weak-method-unread", succeeds_by="fault", seconds=1.5)
def weak_method_unread(scene):
    """The same by a client that does not read what it is told"""
    scene.crowd(again=request(1, "lastword.discover") * 100, reads=False, receive_bytes=4096).run().close()


@attack("weak-refused", succeeds_by="fault", seconds=1.5, shows={"requests_joined_total": 1_000})
def weak_refused(scene):
    """Callers of one answer that ask something else, so that none of them shares it"""
    line = b'{"jsonrpc":"2.0","id":%d,"method":"hold","params":[%d],"task":{"key":"k","policy":"preferPrevious"}}\n'
    scene.crowd(again=b"".join(line % (number, number) for number in range(1_000))).run().close()
