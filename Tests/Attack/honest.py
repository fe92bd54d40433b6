"""The honest client: a request each 5 ms over its own connection, and what became of each."""
import select
import socket
import ssl
import time
from dataclasses import dataclass, field

from access import HONEST, OPEN, enter

PERIOD_SECONDS = 0.005
# What is unanswered so long after the last request is lost.
LOST_SECONDS = 5
# No key comes again before its request is answered or lost.
KEYS = 4096
CHUNK = 1 << 16
ECHO = (b'{"jsonrpc":"2.0","id":%d,"method":"echo","params":["honest",%d],'
        b'"task":{"key":"honest:%d"}}\n')
SHARED = (b'{"jsonrpc":"2.0","id":%d,"method":"echo","params":["honest",%d],'
          b'"task":{"key":"shared","policy":"wait"}}\n')
DEBOUNCED = (b'{"jsonrpc":"2.0","id":%d,"method":"echo","params":["honest",%d],'
             b'"task":{"key":"honest:%d","debounceMs":2}}\n')
WOULD_WAIT = BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError
PING = b'{"jsonrpc":"2.0","id":%d,"method":"lastword.ping"}\n'


@dataclass
class Report:
    """What became of the requests, each as (when it was sent, seconds until its answer or None, error or empty)."""
    requests: list = field(default_factory=list)
    wrong: int = 0

    def window(self, begin, end):
        return [request for request in self.requests if begin <= request[0] < end]


class Line:
    """A connection that never waits to write."""

    def __init__(self, port, door=OPEN):
        self.socket = enter(port, door, HONEST)
        self.socket.setblocking(False)
        self.output, self.rest, self.is_open = b"", b"", True

    def send(self, data=b""):
        self.output += data
        try:
            if self.output and self.is_open:
                self.output = self.output[self.socket.send(self.output):]
        except WOULD_WAIT:
            pass
        except OSError:
            self.is_open = False

    def lines(self):
        try:
            data = self.socket.recv(CHUNK)
        except WOULD_WAIT:
            return []
        except OSError:
            data = b""
        if not data:
            self.is_open = False
        *lines, self.rest = (self.rest + data).split(b"\n")
        return lines


class Honest:
    """Runs in a process of its own, until it is told to stop."""

    def __init__(self, port, ask, door):
        self.gateway = Line(port, door)
        self.ask, self.number = ask, 0
        self.sent, self.answered = {}, {}
        self.wrong = 0

    def request(self, number):
        if self.ask == "ping":
            return PING % number
        if self.ask == "shared":
            return SHARED % (number, number * 7)
        line = DEBOUNCED if self.ask == "debounced" else ECHO
        return line % (number, number * 7, number % KEYS)

    def right(self, number):
        result = b"null" if self.ask == "ping" else b'["honest",%d]' % (number * 7)
        return b'{"jsonrpc":"2.0","id":%d,"result":%b}' % (number, result)

    def send(self):
        self.number += 1
        self.sent[self.number] = time.monotonic()
        self.gateway.send(self.request(self.number))

    def hear(self, line):
        now = time.monotonic()
        try:
            number = int(line[line.index(b'"id":') + 5:line.index(b",", line.index(b'"id":'))])
        except ValueError:
            self.wrong += 1
            return
        if number not in self.sent or number in self.answered:
            self.wrong += 1
        elif b'"error":{"code":' in line:
            code = line.index(b'"code":') + 7
            self.answered[number] = now, line[code:line.index(b",", code)].decode()
        elif line == self.right(number):
            self.answered[number] = now, ""
        else:
            self.answered[number] = now, "wrong"
            self.wrong += 1

    def attend(self, until):
        own = [self.gateway.socket] if self.gateway.is_open else []
        readable, writable, _ = select.select(
            own, own if self.gateway.output else [], [], max(0, until - time.monotonic()))
        if writable:
            self.gateway.send()
        if readable:
            for line in self.gateway.lines():
                self.hear(line)

    def run(self, stopping):
        due = time.monotonic()
        while not stopping.is_set():
            self.send()
            # One that was held up does not make up for it by a burst.
            due = max(due + PERIOD_SECONDS, time.monotonic() - PERIOD_SECONDS)
            self.attend_until(due)
        self.end = time.monotonic() + LOST_SECONDS
        while len(self.answered) < len(self.sent) and self.gateway.is_open and time.monotonic() < self.end:
            self.attend(min(self.end, time.monotonic() + PERIOD_SECONDS))
        return Report([self.outcome(number) for number in self.sent], self.wrong)

    def attend_until(self, due):
        while True:
            self.attend(due)
            if time.monotonic() >= due:
                return
            if not self.gateway.is_open:
                time.sleep(max(0, due - time.monotonic()))

    def outcome(self, number):
        sent = self.sent[number]
        if number not in self.answered:
            return sent, None, "lost"
        when, error = self.answered[number]
        return sent, when - sent, error


def be_honest(port, ask, door, stopping):
    return Honest(port, ask, door).run(stopping)
