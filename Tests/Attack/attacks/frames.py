"""Messages hidden in what frames others, so that two readers would see different ones."""
from scene import attack
from wire import framed, request

# If it is read as a message of its own, it is answered.
HIDDEN = request("hidden", "lastword.ping").rstrip()
PING = request("open", "lastword.ping").rstrip()
LENGTH = b"Content-Length: %d\r\n"
OF_BOTH = LENGTH % len(PING + HIDDEN)
OF_PING = LENGTH % len(PING)
SMUGGLING = {
    "two lengths, the longer first": OF_BOTH + OF_PING + b"\r\n" + PING + HIDDEN,
    "two lengths, the shorter first": OF_PING + OF_BOTH + b"\r\n" + PING + HIDDEN,
    "a length with a sign": b"Content-Length: +%d\r\n\r\n" % len(PING) + PING + HIDDEN,
    "a length with a point": b"Content-Length: %d.0\r\n\r\n" % len(PING) + PING + HIDDEN,
    "a length in hexadecimal": b"Content-Length: 0x%x\r\n\r\n" % len(PING) + PING + HIDDEN,
    "a length that overflows": b"Content-Length: %d\r\n\r\n" % (2**64 + len(PING)) + PING + HIDDEN,
    "a negative length": b"Content-Length: -1\r\n\r\n" + HIDDEN,
    "a list of lengths": b"Content-Length: %d, 5\r\n\r\n" % len(PING) + PING + HIDDEN,
    "a folded length": b"Content-Length:\r\n %d\r\n\r\n" % len(PING) + PING + HIDDEN,
    "chunks": OF_PING + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
    "a length within another field": b"X: y\rContent-Length: 5\r\n\r\n" + HIDDEN,
    "a message in a field": b"X: " + HIDDEN + b"\r\n\r\n",
    "a message in a field behind a bare line break": OF_PING + b"X: y\n" + HIDDEN + b"\n\r\n" + PING,
    "a method twice": PING.replace(b'"method"', b'"method":"x","method"') + b"\n",
    "an id twice": HIDDEN.replace(b'"id"', b'"id":"open","id"') + b"\n",
    "a message in a string": framed(PING[:-1] + b',"params":["\n' + HIDDEN + b'\n"]}\n'),
    "a body that a bare line break would end": OF_PING + b"\n" + PING + HIDDEN,
    "a bare line break in a header": OF_BOTH.rstrip() + b"\n\r\n" + HIDDEN,
    "a message in an unknown member": PING[:-1] + b',"x":' + HIDDEN + b"}\n",
    "a message behind a NUL": PING + b"\0" + HIDDEN + b"\n",
    "two messages in a line": PING + HIDDEN + b"\n",
}


def everything(client):
    """What comes until nothing more does."""
    heard = b""
    try:
        while data := client.recv(1 << 16):
            heard += data
    except (TimeoutError, ConnectionResetError):
        pass
    return heard


def judge(scene, attempts):
    """Nothing that is hidden may be answered."""
    scene.begin()
    while not scene.is_finished:
        for name, bytes in attempts.items():
            with scene.connect() as client:
                client.settimeout(0.1)
                client.sendall(bytes)
                heard = everything(client)
            if b'"id":"hidden","result"' in heard:
                scene.blame(f"{name}: answered {heard!r}")
            scene.counts["tried"] += 1
            scene.counts["answered"] += b'"jsonrpc":' in heard


@attack("frames-smuggled", newcomers=True, reaches=("tried", "answered"))
def frames_smuggled(scene):
    """Lengths that contradict each other, members that stand twice, messages within others: none is answered"""
    judge(scene, SMUGGLING)


# Whether the suite finds what it is for: here the second message is a message.
@attack("weak-frames", succeeds_by="fault", seconds=1.5)
def weak_frames(scene):
    """The same judgement of two messages that are as they should be"""
    judge(scene, {"two messages": framed(PING) + framed(HIDDEN)})
