"""Records of TLS that are none, that are cut, or that are where they do not belong; and who asks for which name."""
import os
import random
import socket
import time

from access import TLS, TOKEN, context, log_in, read_line
from hello import ALERT, CHANGE, DATA, HANDSHAKE, hello, in_pieces, naming, record
from scene import attack
from wire import request

DOOR = {"door": TLS, "newcomers": True}
SECONDS_TO_CLOSE = 3


def bent(first):
    """Beginnings that lead nowhere; the same ones each time."""
    chance = random.Random(7)
    yield from (b"\x80\x2e\x01\x03\x01" + b"\0" * 41, b"\x16\x03\x01\xff\xff" + b"\x01" * 20_000, b"\x16",
                record(HANDSHAKE, b"") * 2000, record(ALERT, b"\x01\0") * 2000, record(ALERT, b"\x02\x28"),
                record(DATA, b"x" * 16), first + record(CHANGE, b"\x01") * 2000, first + record(DATA, b"x" * 16_384),
                first + record(HANDSHAKE, b"") * 2000, first + first, in_pieces(first),
                b"\x16\x03\x00" + first[3:], b"\x16\x02\x00" + first[3:])
    for _ in range(20):
        yield first[:chance.randrange(1, len(first))]
        at = chance.randrange(5, len(first))
        yield first[:at] + chance.randbytes(chance.randrange(1, 40)) + first[at:]
    yield from (chance.randbytes(400) for _ in range(10))
    yield from (record(HANDSHAKE, chance.randbytes(200)) for _ in range(10))


@attack("tls-records", reaches=("closed",), **DOOR)
def tls_records(scene):
    """64 beginnings that are no TLS, or bad TLS: cut, bent, empty, too long, in pieces of a byte"""
    scene.crowd(first=list(bent(hello("localhost")))).run().close()


HELD = request(1, "hold")


def raw(client):
    """The socket beneath TLS."""
    return socket.socket(fileno=os.dup(client.fileno()))


def broken_off(scene, number):
    """Somebody who is let in asks, and breaks off in the middle of a record, in one of several ways."""
    client = scene.enter()
    client.sendall(HELD)
    scene.counts["asked"] += 1
    with raw(client) as beneath:
        beneath.sendall((record(DATA, b"x" * 600), record(DATA, b"x" * 600)[:300], record(DATA, b""), b"{}\n" * 50,
                         record(ALERT, b"\x01\x5a") * 40, b"")[number % 6])
        if number % 2:
            beneath.shutdown(socket.SHUT_WR)
        else:
            beneath.settimeout(SECONDS_TO_CLOSE)
            try:
                while beneath.recv(1 << 16):
                    pass
                scene.counts["closed by the gateway"] += 1
            except TimeoutError:
                scene.blame("a connection with a record that is none stayed open")
            except OSError:
                scene.counts["closed by the gateway"] += 1
    client.close()


def all_taken_back(gateway, counts):
    """Whether the work of those who broke off was taken back; counts are those of who attacked."""
    missing = counts.get("asked", 0) - counts.get("cancelled", 0)
    return [f"the work of {missing} connections that broke off goes on"] if missing else []


@attack("tls-cut", reaches=("closed by the gateway", "cancelled"), afterwards=[all_taken_back], **DOOR)
def tls_cut(scene):
    """Connections that ask, and then send damaged, cut or unexpected records: their work is taken back"""
    scene.begin()
    while not scene.is_finished:
        broken_off(scene, scene.counts["asked"])
    with scene.enter() as client:
        for _ in range(20):
            client.sendall(request(1, "counts"))
            heard = read_line(client)
            scene.counts["cancelled"] = int(heard.partition(b'"cancels":')[2].partition(b",")[0].rstrip(b"}\n") or 0)
            if scene.counts["cancelled"] >= scene.counts["asked"]:
                break
            time.sleep(0.05)


NAMES = [b"localhost", b"second.example", b"nobody.example", b"a" * 63 + b".example", b"x" * 255, b"x" * 256,
         b"x" * 9000, b"", b"\0", b"localhost\0.evil", b"\n\"\x1b[2J\\", b"*", b"*.example", b"." * 100,
         b"127.0.0.1", b"[::1]", "é".encode() * 90, b"xn--" + b"9" * 100, b"\xff" * 200, b"localhost."]


@attack("tls-names", reaches=("closed", "changed"), **DOOR)
def tls_names(scene):
    """Hellos that ask for no name, long ones, unknown ones, no names at all, and a resumed session for another one"""
    firsts = [naming(name) for name in NAMES] + [hello(None)]
    crowd = scene.crowd(first=firsts * 3, reads=True)
    terms = context()
    while not scene.is_finished:
        crowd.run(seconds=0.1)
        change_name(scene, terms)
        for writer in crowd.writers[::4]:
            crowd.lost(writer)
    crowd.close()


def change_name(scene, terms):
    """A session that began for one name goes on for another one."""
    session = None
    for name in ("localhost", "second.example"):
        client = terms.wrap_socket(scene.connect(), server_hostname=name, session=session)
        client.sendall(log_in("guessed"))
        if b"principal" in read_line(client):
            scene.blame("a session for another name was let in without a token")
        session = client.session
        scene.counts["changed"] += name == "second.example"
        client.close()


HTTP = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


@attack("plain-on-tls", reaches=("closed",), **DOOR)
def plain_on_tls(scene):
    """Requests, log-ins and HTTP in plain text at a listener with TLS: nothing comes back"""
    firsts = [HELD * 100, log_in("guessed") * 5, HTTP, b"\n" * 70_000, b"Content-Length: 5\r\n\r\n[1,2]"]
    crowd = scene.crowd(first=firsts * 10, counting={"answered": b"jsonrpc"})
    crowd.run().close()
    if scene.counts["received"]:
        scene.blame(f"{scene.counts['received']} bytes came back in plain text")


@attack("tls-on-plain", door=TOKEN, newcomers=True, reaches=("closed",))
def tls_on_plain(scene):
    """Hellos of TLS, whole, cut and repeated, at a listener without: each is closed"""
    first = hello("localhost")
    scene.crowd(first=[first, first[:100], first * 200, naming(b"\n" * 9000)] * 12).run().close()
