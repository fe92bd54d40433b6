"""Clients that come by HTTP: slow, unread, pipelined, in crumbs, and read differently by two readers."""
import re

from attacks.connections import WATCHED
from attacks.heads import states
from attacks.slowness import MOST_MS, drip
from scene import attack
from wire import KIB, MIB, request

HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
PING = request(1, "lastword.ping").rstrip()
MANY = {"bounds": {"connections": 2000}}


def post(content, fields=b""):
    return HEAD + fields + b"Content-Length: %d\r\n\r\n" % len(content) + content


def chunks(content, size=1):
    parts = [content[at:at + size] for at in range(0, len(content), size)]
    return HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"".join(
        b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


SLOW = {"bounds": {"connections": 2000, "messageMs": MOST_MS}}
TOO_SLOW = b"HTTP/1.1 408 "


@attack("http-slow-heads", checks=WATCHED, configuration=SLOW, reaches=("ended", "told"), seconds=5)
def http_slow_heads(scene):
    """1,000 connections that send the head of a POST a byte a second: each ends with 408 when its time is over"""
    drip(scene, (b"", HEAD), (HEAD, b"X: " + b"y" * 100), told=TOO_SLOW)


@attack("http-slow-bodies", checks=WATCHED, configuration=SLOW, reaches=("ended", "told"), seconds=5)
def http_slow_bodies(scene):
    """1,000 connections whose POST has a content of a MiB that comes a byte a second: the same"""
    drip(scene, (HEAD + b"Content-Length: %d\r\n\r\n" % MIB, b" " * 100), told=TOO_SLOW)


@attack("http-half-bodies", checks=WATCHED, configuration=MANY, most_bytes=192 * MIB,
        shows={"held_bytes": 16 * MIB})
def http_half_bodies(scene):
    """500 connections that stop in the midst of a content of 512 KiB"""
    half = HEAD + b"Content-Length: %d\r\n\r\n" % (512 * KIB) + b'{"x":"' + b"y" * 256 * KIB
    scene.crowd(connections=500, first=half).run().close()


AHEAD = {"bounds": {"memoryBytes": 16 * MIB}}


@attack("http-ahead", checks=WATCHED, configuration=AHEAD, most_bytes=16 * MIB, shows={"held_bytes": 4 * MIB})
def http_ahead(scene):
    """800 connections send 60 KiB ahead of a POST that is not answered, with room for a quarter of it"""
    ahead = post(request(1, "hold").rstrip()) + HEAD + b"Content-Length: %d\r\n\r\n" % MIB + b" " * 60 * KIB
    scene.crowd(connections=800, first=ahead).run().close()


LONG_BYTES = 8 * KIB
LENGTH = re.compile(rb"HTTP/1\.1 200 OK\r\n.*?Content-Length: (\d+)\r\n", re.DOTALL)


@attack("http-never-readers", checks=WATCHED, most_bytes=128 * MIB, reaches=("long and unread",),
        shows={"held_bytes": MIB})
def http_never_readers(scene):
    """64 connections that pipeline POSTs for long answers and read nothing"""
    long = post(request(1, "rpc.discover").rstrip())
    crowd = scene.crowd(connections=64, again=long * 200, reads=False, receive_bytes=4096).run()
    for data in crowd.unread():
        length = LENGTH.match(data)
        scene.counts["long and unread"] += length is not None and int(length[1]) >= LONG_BYTES
    crowd.close()


@attack("http-pipeline-flood", checks=WATCHED, reaches=("results",))
def http_pipeline_flood(scene):
    """16 connections pipeline POSTs as fast as they are taken"""
    scene.crowd(connections=16, again=post(PING) * 500).run().close()


@attack("http-gets", checks=WATCHED, reaches=("told",))
def http_gets(scene):
    """16 connections pipeline GET as fast as it is taken"""
    scene.crowd(connections=16, again=b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1000,
                counting={"told": b"HTTP/1.1 200 OK"}).run().close()


@attack("http-chunk-dust", checks=WATCHED, reaches=("results",))
def http_chunk_dust(scene):
    """16 connections send contents of 4 KiB in chunks of a byte"""
    scene.crowd(connections=16, again=chunks(PING[:-1] + b" " * 4000 + b"}") * 20).run().close()


# Behind each stands a request that must not be read as one: it would be answered, too.
HIDDEN = post(request("hidden", "lastword.ping").rstrip())
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
SIZE = b"Content-Length: %d\r\n"
OF_PING = SIZE % len(PING)
SMUGGLING = {
    "two lengths, the longer first": HEAD + SIZE % (len(PING) + len(HIDDEN)) + OF_PING + b"\r\n" + PING,
    "two lengths, the shorter first": HEAD + OF_PING + SIZE % (len(PING) + len(HIDDEN)) + b"\r\n" + PING,
    "the same length twice": HEAD + OF_PING + OF_PING + b"\r\n" + PING,
    "a list of lengths": HEAD + b"Content-Length: %d, %d\r\n\r\n" % (len(PING), len(PING)) + PING,
    "a length with a sign": HEAD + b"Content-Length: +%d\r\n\r\n" % len(PING) + PING,
    "a length in hexadecimal": HEAD + b"Content-Length: 0x%x\r\n\r\n" % len(PING) + PING,
    "a length that overflows": HEAD + SIZE % (2**64 + len(PING)) + b"\r\n" + PING,
    "a length behind a vertical tab": HEAD + b"Content-Length:\x0b%d\r\n\r\n" % len(PING) + PING,
    "a folded length": HEAD + b"Content-Length:\r\n %d\r\n\r\n" % len(PING) + PING,
    "a blank before the colon": HEAD + b"Content-Length : %d\r\n\r\n" % len(PING) + PING,
    "a length with an underscore": HEAD + b"Content_Length: %d\r\n\r\n" % len(PING) + PING,
    "a length and chunks": HEAD + OF_PING + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks and a length": HEAD + b"Transfer-Encoding: chunked\r\n" + OF_PING + b"\r\n0\r\n\r\n",
    "chunks twice": HEAD + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks and identity": HEAD + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "identity and a length": HEAD + b"Transfer-Encoding: identity\r\n" + OF_PING + b"\r\n" + PING,
    "chunks in disguise": HEAD + b"Transfer-Encoding: xchunked\r\n" + OF_PING + b"\r\n" + PING,
    "chunks in quotes": HEAD + b'Transfer-Encoding: "chunked"\r\n\r\n0\r\n\r\n',
    "chunks behind a vertical tab": HEAD + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
    "chunks behind a bare line break": HEAD + b"X: y\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks behind a bare CR": HEAD + b"X: y\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks of HTTP/1.0": CHUNKED.replace(b"1.1", b"1.0") + b"0\r\n\r\n",
    "a chunk with a sign": CHUNKED + b"+1\r\n{\r\n0\r\n\r\n",
    "a chunk in 0x": CHUNKED + b"0x1\r\n{\r\n0\r\n\r\n",
    "a chunk behind a blank": CHUNKED + b" 1\r\n{\r\n0\r\n\r\n",
    "a chunk before a blank": CHUNKED + b"1 \r\n{\r\n0\r\n\r\n",
    "a chunk with an underscore": CHUNKED + b"1_0\r\n{\r\n0\r\n\r\n",
    "a chunk that overflows": CHUNKED + b"10000000000000001\r\n{\r\n0\r\n\r\n",
    "a chunk that is longer than it says": CHUNKED + b"1\r\n{}\r\n0\r\n\r\n",
    "a chunk that ends with LF": CHUNKED + b"1\n{\r\n0\r\n\r\n",
    "an extension with a bare line break": CHUNKED + b"1;a\nb\r\n{\r\n0\r\n\r\n",
    "a chunk behind which LF stands": CHUNKED + b"1\r\n{\n0\r\n\r\n",
    "a trailer that is folded": CHUNKED + b"2\r\n{}\r\n0\r\nX: y\r\n z\r\n\r\n",
    "a trailer with a bare line break": CHUNKED + b"2\r\n{}\r\n0\r\nX: y\n\r\n\r\n",
    "a NUL in a field": HEAD + b"X: \0\r\n" + OF_PING + b"\r\n" + PING,
    "lines that end with LF": post(PING).replace(b"\r\n", b"\n"),
    "a head that ends with LF": HEAD + OF_PING + b"\n" + PING,
    "a head that ends with CR": HEAD + OF_PING + b"\r" + PING,
    "GET with a content": b"GET / HTTP/1.1\r\nHost: localhost\r\n" + OF_PING + b"\r\n" + PING,
    "two hosts": HEAD + b"Host: localhost\r\n" + OF_PING + b"\r\n" + PING,
    "another's address": post(PING).replace(b"POST /", b"POST http://evil.example/"),
    "two blanks": post(PING).replace(b"POST /", b"POST  /"),
    "an empty content": post(b""),
    "no content": HEAD + b"\r\n",
}


def judge(scene, requests):
    """Each gets one response, a refusal, and the connection closes."""
    scene.begin()
    while not scene.is_finished:
        for name, bytes in requests.items():
            heard, is_closed = b"", False
            with scene.connect() as client:
                client.settimeout(1)
                try:
                    client.sendall(bytes + HIDDEN)
                    while data := client.recv(1 << 16):
                        heard += data
                    is_closed = True
                except ConnectionResetError:
                    is_closed = True
                except TimeoutError:
                    pass
            found = states(heard)
            if len(found) != 1 or found[0] < 400 or not is_closed or b'"id":"hidden"' in heard:
                scene.blame(f"{name}: answered {found}{'' if is_closed else ', and it stayed open'}")
            scene.counts["refused"] += bool(found)


@attack("http-smuggling", checks=WATCHED, reaches=("refused",))
def http_smuggling(scene):
    """Lengths and chunks that contradict each other, bent line ends, each with a request hidden behind: one refusal"""
    judge(scene, SMUGGLING)


# Whether the suite finds what it is for: these are no mistakes, and are answered.
@attack("weak-smuggling", succeeds_by="fault", seconds=1.5)
def weak_smuggling(scene):
    """The same judgement of POSTs that are as they should be"""
    judge(scene, {"a request": post(PING), "chunks": chunks(PING)})
