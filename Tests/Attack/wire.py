"""What attackers are made of: prebuilt bytes, and many raw connections that write as fast as they are taken."""
import json
import selectors
import socket
import ssl
import struct
import time
from collections import Counter

KIB, MIB = 1 << 10, 1 << 20
CHUNK = 1 << 18
HOUR = 3_600_000
# A look at the time now and then is enough.
WAIT_SECONDS = 0.05
PATIENCE_SECONDS = 10
# As much of an unread answer as shows what it is.
PEEK_BYTES = 4096
# No shorter than what is counted.
TAIL_BYTES = 64
# What is always counted in what comes: what was done, and methods that there are none of, which would attack nothing.
RESULTS, NO_METHOD = b'"result":', b'"error":{"code":-32601,'
ALWAYS = {"results": RESULTS, "-32601": NO_METHOD}
# What is counted besides unless an attack says something else: errors of those that are one too many.
TOO_MANY = {"-32082": b":-32082,"}


def text(value):
    return json.dumps(value, separators=(",", ":")).encode()


def request(id, method, params=None, **task):
    """A line. An id may be a number, a string, or none: then it is a notification."""
    parts = [b'{"jsonrpc":"2.0"'] + ([] if id is None else [b'"id":' + text(id)]) + [b'"method":' + text(method)]
    parts += [] if params is None else [b'"params":' + text(params)]
    parts += [b'"task":' + text(task)] if task else []
    return b",".join(parts) + b"}\n"


def cancel(id):
    return request(None, "$/cancelRequest", {"id": id})


def many(count, line, first=0):
    """So many lines, made from one with %d in it for each number."""
    places = line.count(b"%d")
    return b"".join(line % ((number,) * places) for number in range(first, first + count))


def framed(line):
    return b"Content-Length: %d\r\n\r\n%b" % (len(line), line)


def connect(port, receive_bytes=None):
    client = socket.socket()
    client.settimeout(PATIENCE_SECONDS)
    if receive_bytes:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
    client.connect(("127.0.0.1", port))
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return client


def reset(client):
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


class Writer:
    """A connection, what it writes first, and what it then writes again and again."""

    def __init__(self, client, first, again, most_bytes):
        self.client, self.first, self.again, self.most_bytes = client, first, again, most_bytes
        self.current, self.offset, self.tail = memoryview(first or again), 0, b""
        client.setblocking(False)

    @property
    def wants_to_write(self):
        return len(self.current) > 0

    def write(self):
        sent = self.client.send(self.current[self.offset:self.offset + self.most_bytes])
        self.offset += sent
        if self.offset == len(self.current):
            self.current, self.offset = memoryview(self.again), 0
        return sent


class Crowd:
    """Connections that write, and read what comes or do not; what the gateway closes is opened anew."""

    MOST_REOPENED = 10_000

    def __init__(self, port, scene, connections=1, again=b"", first=b"", reads=True, receive_bytes=None, enter=None,
                 counting=TOO_MANY, most_bytes=CHUNK):
        self.scene, self.reads, self.counting, self.most_bytes = scene, reads, {**ALWAYS, **counting}, most_bytes
        self.enter = enter or (lambda: connect(port, receive_bytes))
        self.counts, self.selector, self.silent = Counter(), selectors.DefaultSelector(), []
        self.sink = bytearray(CHUNK)
        for own in first if isinstance(first, list) else [first] * connections:
            self.open(own, again)

    def open(self, first, again):
        writer = Writer(self.enter(), first, again, self.most_bytes)
        self.selector.register(writer.client, selectors.EVENT_READ, writer)
        self.watch(writer)

    def watch(self, writer):
        """One that neither reads nor writes any more is left as it is."""
        events = (selectors.EVENT_READ if self.reads else 0) | (selectors.EVENT_WRITE if writer.wants_to_write else 0)
        if events:
            self.selector.modify(writer.client, events, writer)
        else:
            self.selector.unregister(writer.client)
            self.silent.append(writer.client)

    @property
    def writers(self):
        return [key.data for key in self.selector.get_map().values()]

    @property
    def has_written(self):
        return not any(writer.wants_to_write for writer in self.writers)

    def run(self, seconds=None, until=lambda: False):
        """Goes on until the attack is over, the time has passed, or what is waited for has come."""
        end = self.scene.end if seconds is None else time.monotonic() + seconds
        while not self.scene.is_over and time.monotonic() < end and not until():
            for key, events in self.selector.select(WAIT_SECONDS):
                self.attend(key.data, events)
        return self

    def attend(self, writer, events):
        try:
            if events & selectors.EVENT_WRITE:
                self.counts["sent"] += writer.write()
                if not writer.wants_to_write:
                    self.watch(writer)
            if events & selectors.EVENT_READ:
                self.read(writer)
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            pass
        except OSError:
            self.lost(writer)

    def read(self, writer):
        count = writer.client.recv_into(self.sink)
        if count == 0:
            raise ConnectionResetError
        self.counts["received"] += count
        self.counts["answers"] += self.sink.count(b"\n", 0, count)
        for name, bytes in self.counting.items():
            # What began in the piece before counts, too.
            seam = writer.tail[1 - len(bytes):] + self.sink[:min(count, len(bytes) - 1)]
            self.counts[name] += self.sink.count(bytes, 0, count) + seam.count(bytes)
        writer.tail = (writer.tail + self.sink[max(0, count - TAIL_BYTES):count])[-TAIL_BYTES:]

    def lost(self, writer):
        self.counts["closed"] += 1
        self.selector.unregister(writer.client)
        writer.client.close()
        if self.counts["closed"] < self.MOST_REOPENED and not self.scene.is_over:
            try:
                self.open(writer.first, writer.again)
            except OSError:
                self.counts["refused"] += 1

    @property
    def clients(self):
        return [writer.client for writer in self.writers] + self.silent

    def unread(self):
        """The beginning of what has come to each that does not read, which stays unread."""
        for client in self.clients:
            try:
                yield client.recv(PEEK_BYTES, socket.MSG_PEEK)
            except OSError:
                yield b""

    def count_unread(self):
        """Counts those to whom a result has come that they do not read."""
        for data in self.unread():
            self.counts["unread"] += RESULTS in data
            self.counts["-32601"] += NO_METHOD in data

    def close(self, by=reset):
        if not self.reads:
            self.count_unread()
        for client in self.clients:
            by(client)
        self.selector.close()
