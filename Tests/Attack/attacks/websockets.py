"""WebSockets that do not read, that bring their messages as dust, that ask without end, that come and go."""
import socket

from attacks.connections import WATCHED
from scene import attack
from wire import MIB, reset

KEY = b"dGhlIHNhbXBsZSBub25jZQ=="
UPGRADE = (b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + KEY + b"\r\n\r\n")
TEXT, GOES_ON, PING, LAST = 1, 0, 9, 0x80
MASK = b"\0\0\0\0"
UPGRADED = {"upgraded": b"HTTP/1.1 101 "}
PING_REQUEST = b'{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}'
# What is answered with 256 KiB at once.
LARGE_REQUEST = b'{"jsonrpc":"2.0","id":1,"method":"large","params":[256,0]}'


def frame(first, content):
    """A short frame as a client sends it; zeros are a mask, too."""
    return bytes([first, 0x80 | len(content)]) + MASK + content


def is_upgraded(client):
    return client.recv(1 << 12).startswith(b"HTTP/1.1 101")


@attack("websocket-never-readers", most_bytes=64 * MIB,
        shows={'sent_bytes_total{peer="client"}': 8 * MIB, "requests_open": 20},
        configuration={"bounds": {"clientOutputHardBytes": 2 * MIB}})
def never_readers(scene):
    """8 WebSockets ask for what is large, and to be answered to pings, and read nothing"""
    again = frame(LAST | PING, b"x" * 100) * 100
    first = UPGRADE + frame(LAST | TEXT, LARGE_REQUEST) * 40
    scene.crowd(connections=8, first=first, again=again, reads=False, receive_bytes=4096).run().close()


@attack("websocket-fragment-dust", checks=WATCHED, reaches=("upgraded",), most_bytes=32 * MIB,
        shows={'received_bytes_total{peer="client"}': MIB})
def fragment_dust(scene):
    """4 WebSockets bring a message in fragments of one byte, and of none, without an end"""
    dust = (frame(GOES_ON, b"x") + frame(GOES_ON, b"")) * 2_000
    scene.crowd(connections=4, first=UPGRADE + frame(TEXT, b'"'), again=dust, counting=UPGRADED).run().close()


@attack("websocket-ping-flood", checks=WATCHED, reaches=("upgraded", "pongs"), most_bytes=32 * MIB)
def ping_flood(scene):
    """4 WebSockets ask without end whether we are there; half of them read the answers"""
    again = frame(LAST | PING, b"x" * 4) * 4_000
    deaf = scene.crowd(connections=2, first=UPGRADE, again=again, reads=False, receive_bytes=4096)
    pongs = {**UPGRADED, "pongs": bytes([LAST | 10, 4]) + b"x" * 4}
    crowd = scene.crowd(connections=2, first=UPGRADE, again=again, counting=pongs)
    while not scene.is_finished:
        deaf.run(seconds=0.02)
        crowd.run(seconds=0.02)
    deaf.close()
    crowd.close()


@attack("websocket-handshake-flood", reaches=("upgraded",))
def handshake_flood(scene):
    """Connections become WebSockets and leave at once: with a reset, without a word, in the middle of a frame"""
    scene.begin()
    ways = [b"", frame(LAST | TEXT, PING_REQUEST), b"\x81\xff\0\0", frame(LAST | 8, b"\x03\xe8")]
    while not scene.is_finished:
        client = scene.connect()
        client.sendall(UPGRADE)
        scene.counts["upgraded"] += is_upgraded(client)
        client.sendall(ways[scene.counts["upgraded"] % len(ways)])
        (reset if scene.counts["upgraded"] % 2 else socket.socket.close)(client)


@attack("websocket-big-fragments", checks=WATCHED, reaches=("upgraded",), most_bytes=32 * MIB)
def big_fragments(scene):
    """100 WebSockets announce a gigabyte each, and send it slowly"""
    announced = bytes([TEXT, 0x80 | 127]) + (1 << 30).to_bytes(8, "big") + MASK
    crowd = scene.crowd(connections=100, first=UPGRADE + announced, again=b" " * (1 << 16), most_bytes=100,
                        counting=UPGRADED)
    while not scene.is_finished:
        crowd.run(seconds=0.01)
        scene.wait(0.02)
    crowd.close()


# Whether the suite finds what it is for: nothing stops a client that may have so much unread.
@attack("weak-websocket", succeeds_by="memory", seconds=2,
        configuration={"bounds": {"clientOutputSoftBytes": 1 << 30, "clientOutputHardBytes": 1 << 30}},
        most_bytes=16 * MIB)
def weak_websocket(scene):
    """8 WebSockets read nothing of what is large, with bounds beyond all reason"""
    first = UPGRADE + frame(LAST | TEXT, LARGE_REQUEST) * 50
    scene.crowd(connections=8, first=first, again=frame(LAST | TEXT, LARGE_REQUEST) * 10, reads=False,
                receive_bytes=4096).run().close()
