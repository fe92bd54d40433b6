"""1,000 clients that send a byte a second: each has to end when the time for a message, or for a handshake, is over,
however many of its bytes have come meanwhile."""
import socket
import threading
import time

from access import TLS
from attacks.connections import WATCHED
from hello import hello
from scene import attack
from wire import MIB, request

CLIENTS, PERIOD_SECONDS = 1000, 1
# Two bytes come in that time, and it is over before the third one.
MOST_MS = 1500
ROOM = {"connections": 2000}


class Slow:
    """Says something at once, and then a byte at a time."""

    def __init__(self, scene, at_once, slowly):
        self.at_once, self.slowly, self.sent = at_once, slowly, 0
        self.client = scene.connect()
        self.client.sendall(at_once)
        self.client.setblocking(False)

    def hear(self):
        """What has come, and whether the connection has ended."""
        heard = b""
        try:
            while data := self.client.recv(1 << 16):
                heard += data
        except BlockingIOError:
            return heard, False
        except OSError:
            pass
        return heard, True

    def send(self):
        try:
            self.client.send(self.slowly[self.sent:self.sent + 1])
            self.sent += 1
        except OSError:
            pass  # Its end is heard next time.


def drip(scene, *kinds, told=None):
    """As many of each kind: what it says at once, and what a byte a second. Who has ended comes again."""
    clients = [Slow(scene, *kinds[number % len(kinds)]) for number in range(CLIENTS)]
    due = time.monotonic()
    while not scene.is_finished:
        for number, one in enumerate(clients):
            heard, has_ended = one.hear()
            if told is not None:
                scene.counts["told"] += told in heard
            if has_ended:
                one.client.close()
                scene.counts["ended"] += 1
                one = clients[number] = Slow(scene, one.at_once, one.slowly)
            one.send()
            scene.counts["sent"] += 1
        due += PERIOD_SECONDS
        scene.wait(due - time.monotonic())
    for one in clients:
        one.client.close()
    if scene.counts["ended"] < CLIENTS:
        scene.blame(f"{scene.counts['ended']} connections have ended, and the time of {CLIENTS} was over")


LINE = request(1, "work", ["x" * 100])
BODY = b"Content-Length: %d\r\n\r\n" % len(LINE)


@attack("slow-lines", checks=WATCHED, configuration={"bounds": ROOM | {"messageMs": MOST_MS}}, reaches=("ended",),
        seconds=5)
def slow_lines(scene):
    """1,000 connections that send a line a byte a second, or a header and its body: each ends when its time is over"""
    drip(scene, (b"", LINE), (b"", BODY + LINE), (BODY, LINE))


@attack("tls-hellos-slow", door=TLS, newcomers=True, checks=WATCHED, reaches=("ended",), seconds=5,
        configuration={"bounds": ROOM | {"handshakeMs": MOST_MS, "handshakes": 2000}})
def tls_hellos_slow(scene):
    """1,000 connections that send a hello of TLS a byte a second, from its beginning or its middle: the same"""
    first = hello("localhost")
    drip(scene, (b"", first), (first[:len(first) // 2], first[len(first) // 2:]))


LETTERS, LETTER_MS = 600, 300
# Ends come before, in and behind the moment in which a message's time is over.
SPREAD_SECONDS = 0.03


@attack("letters-ended", checks=WATCHED, configuration={"bounds": ROOM | {"messageMs": LETTER_MS}}, reaches=("ended",),
        seconds=6)
def letters_ended(scene):
    """600 connections that send a letter, and of which half end in the moment in which their time is over"""
    # While that is read all letters come, so that their time is over in one millisecond.
    occupation = request(1, "work", ["x" * (3 * MIB)])
    scene.begin()
    while not scene.is_finished:
        clients = [scene.connect() for _ in range(LETTERS)]
        busy = scene.connect()
        # All of them have been accepted by then.
        scene.wait(0.05)
        sending = threading.Thread(target=send, args=(busy, occupation))
        sending.start()
        due = time.monotonic() + LETTER_MS / 1000 - SPREAD_SECONDS / 3
        for one in clients:
            send(one, b"G")
        ending = clients[::2]
        for number, one in enumerate(ending):
            while time.monotonic() < due + SPREAD_SECONDS * number / len(ending):
                pass
            try:
                one.shutdown(socket.SHUT_WR)
                scene.counts["ended"] += 1
            except OSError:
                pass  # Its time was over before.
        sending.join()
        for one in [*clients, busy]:
            one.close()


def send(client, data):
    try:
        client.sendall(data)
    except OSError:
        pass  # Its time was over before.


# Whether the suite finds what it is for: here a message may take an hour.
@attack("weak-slowness", succeeds_by="fault", seconds=3, configuration={"bounds": ROOM | {"messageMs": 3_600_000}})
def weak_slowness(scene):
    """The same lines, where there is time for them"""
    drip(scene, (b"", LINE))
