"""Requests over HTTP that two readers read differently, and heads that are huge or slow, at the admin pages."""
import re

from attacks.connections import WATCHED
from scene import attack
from wire import MIB

# Behind each bad head stands a whole request, which must not be read as one.
HIDDEN = b"GET /config HTTP/1.1\r\nHost: localhost\r\n\r\n"
HOST = b"Host: localhost\r\n"
GET = b"GET /livez HTTP/1.1\r\n"
POST = b"POST /livez HTTP/1.1\r\n"
BODY = b"Content-Length: %d\r\n" % len(HIDDEN)
BAD = {
    "Content-Length twice": GET + HOST + BODY + b"Content-Length: 0\r\n\r\n" + HIDDEN,
    "the same one twice": GET + HOST + BODY + BODY + b"\r\n" + HIDDEN,
    "a list of lengths": GET + HOST + b"Content-Length: 0, 41\r\n\r\n" + HIDDEN,
    "a length with a sign": GET + HOST + b"Content-Length: +41\r\n\r\n" + HIDDEN,
    "a length that is negative": GET + HOST + b"Content-Length: -1\r\n\r\n" + HIDDEN,
    "a length beyond all numbers": GET + HOST + b"Content-Length: " + b"9" * 40 + b"\r\n\r\n" + HIDDEN,
    "a length in hexadecimal": GET + HOST + b"Content-Length: 0x29\r\n\r\n" + HIDDEN,
    "a body": GET + HOST + BODY + b"\r\n" + HIDDEN,
    "chunks": GET + HOST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
    "chunks and a length": GET + HOST + BODY + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
    "chunks in disguise": GET + HOST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + HIDDEN,
    "chunks behind a tab": GET + HOST + b"Transfer-Encoding:\tchunked\r\n\r\n0\r\n\r\n" + HIDDEN,
    "a folded field": GET + HOST + b"X: a\r\n b\r\n\r\n" + HIDDEN,
    "a folded length": GET + HOST + b"Content-Length:\r\n 41\r\n\r\n" + HIDDEN,
    "a space before the colon": GET + HOST + b"Content-Length : 41\r\n\r\n" + HIDDEN,
    "a field that begins with a space": GET + b" " + HOST + HOST + b"\r\n" + HIDDEN,
    "a field without a colon": GET + HOST + b"X\r\n\r\n" + HIDDEN,
    "a field without a name": GET + HOST + b": x\r\n\r\n" + HIDDEN,
    "a NUL in a field": GET + HOST + b"X: a\0b\r\n\r\n" + HIDDEN,
    "a bare CR in a field": GET + HOST + b"X: a\rContent-Length: 41\r\n\r\n" + HIDDEN,
    "a bare CR in the first line": b"GET /livez\rHTTP/1.1\r\n" + HOST + b"\r\n" + HIDDEN,
    "no host": GET + b"\r\n" + HIDDEN,
    "two hosts": GET + HOST + b"Host: evil.example\r\n\r\n" + HIDDEN,
    # What comes behind these would be a request of its own.
    "a host that leads here": GET + b"Host: evil.example\r\nConnection: close\r\n\r\n",
    "another's address": b"GET http://evil.example/livez HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n",
    "another's page": GET + HOST + b"Origin: http://evil.example\r\nConnection: close\r\n\r\n",
    "a host with a user": GET + b"Host: user@localhost\r\n\r\n" + HIDDEN,
    "two origins": GET + HOST + b"Origin: http://localhost\r\nOrigin: http://evil.example\r\n\r\n" + HIDDEN,
    "two tokens": GET + HOST + b"Authorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n" + HIDDEN,
    "a tunnel": b"CONNECT localhost:1 HTTP/1.1\r\n" + HOST + b"\r\n" + HIDDEN,
    "a method in small letters": b"get /livez HTTP/1.1\r\n" + HOST + b"\r\n" + HIDDEN,
    "a post": POST + HOST + BODY + b"\r\n" + HIDDEN,
    "two spaces": b"GET  /livez HTTP/1.1\r\n" + HOST + b"\r\n" + HIDDEN,
    "no version": b"GET /livez\r\n\r\n" + HIDDEN,
    "a version to come": b"GET /livez HTTP/2.0\r\n" + HOST + b"\r\n" + HIDDEN,
    "the words of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + HIDDEN,
    "a fragment": b"GET /livez#x HTTP/1.1\r\n" + HOST + b"\r\n" + HIDDEN,
    "what is no ASCII": b"GET /liv\xc3\xa9z HTTP/1.1\r\n" + HOST + b"\r\n" + HIDDEN,
    "a hello of TLS": b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03" + b"x" * 500 + HIDDEN,
}
STATE = re.compile(rb"^HTTP/1\.1 (\d\d\d) ", re.MULTILINE)
GOOD = {"a request": GET + HOST + b"\r\n", "two requests": (GET + HOST + b"\r\n") * 2}


def answers(scene, bytes):
    """The states of all answers, and whether the connection was closed behind them."""
    heard = b""
    with scene.connect(scene.admin_port) as client:
        client.settimeout(1)
        client.sendall(bytes)
        try:
            while data := client.recv(1 << 16):
                heard += data
        except TimeoutError:
            return states(heard), False
        except ConnectionResetError:
            pass
    return states(heard), True


def states(heard):
    return [int(state) for state in STATE.findall(heard)]


def judge(scene, requests):
    """Each must be refused, once, and nothing behind it be read."""
    scene.begin()
    while not scene.is_finished:
        for name, bytes in requests.items():
            found, is_closed = answers(scene, bytes)
            if len(found) > 1 or any(state < 400 for state in found) or not is_closed:
                scene.blame(f"{name}: answered {found}{'' if is_closed else ', and it stayed open'}")
            scene.counts["refused"] += bool(found)


@attack("admin-heads", checks=WATCHED, reaches=("refused",))
def admin_heads(scene):
    """Lengths twice, chunks, folded and bent fields, foreign hosts, with a request hidden behind each: one refusal"""
    judge(scene, BAD)


@attack("admin-heads-huge", checks=WATCHED, most_bytes=32 * MIB, reaches=("closed",))
def admin_heads_huge(scene):
    """64 connections with heads of a MiB: one long field, 100,000 fields, a long target, a long method"""
    heads = [GET + HOST + b"X: " + b"y" * MIB, GET + HOST + b"X: y\r\n" * 100_000, b"GET /" + b"x" * MIB, b"G" * MIB,
             GET + HOST + b"Cookie: " + b"a=b; " * 100_000 + b"\r\n\r\n", b"\r\n" * 300_000, GET + b":" * MIB]
    scene.crowd(port=scene.admin_port, first=(heads * 10)[:64]).run().close()


@attack("admin-heads-slow", checks=WATCHED, reaches=("sent",), shows={"descriptors": 40})
def admin_heads_slow(scene):
    """120 connections that send their heads a byte at a time, while the program is asked how it is"""
    first = GET + HOST + b"X: " + b"y" * 4000
    crowd = scene.crowd(port=scene.admin_port, connections=120, first=first, most_bytes=1)
    while not scene.is_finished:
        crowd.run(seconds=0.01)
        scene.wait(0.02)
    crowd.close()


@attack("admin-heads-begun", checks=WATCHED, reaches=("closed",))
def admin_heads_begun(scene):
    """300 connections that begin a head, and come again when they have to make room"""
    scene.crowd(port=scene.admin_port, connections=300, first=GET + HOST).run().close()


# Whether the suite finds what it is for: these are no mistakes, and are answered.
@attack("weak-heads", succeeds_by="fault", seconds=1.5)
def weak_heads(scene):
    """The same judgement of requests that are as they should be"""
    judge(scene, GOOD)
