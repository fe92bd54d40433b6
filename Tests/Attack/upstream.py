#!/usr/bin/env python3
"""The handler that all clients of the gateway share. Prints its address, and serves until its standard input ends.

`echo`, `work` and `initialize` give their params, `hold` nothing until it is cancelled, `stubborn` nothing at all,
`slow` its params after some [milliseconds], `large` a string of [KiB] after [milliseconds], `counts` what was heard;
others are refused.
"""
import heapq
import random
import re
import selectors
import socket
import sys
import time
from collections import Counter

CHUNK = 1 << 18
BEGINNING, NOTIFICATION = b'{"jsonrpc":"2.0","id":', b'{"jsonrpc":"2.0","method":"'
METHOD, PARAMS = b',"method":"', b'"params":'
NUMBER = re.compile(rb"\d+")
HEADER = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


def answer(id, result):
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}\n' % (id, result)


class Peer:
    """A connection of lines: what came of it, what has to go."""

    def __init__(self, upstream, connection):
        self.upstream, self.connection = upstream, connection
        self.rest, self.output, self.held = b"", bytearray(), set()
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def read(self):
        data = self.connection.recv(CHUNK)
        if not data:
            raise ConnectionResetError
        *lines, self.rest = (self.rest + data).split(b"\n") if b"\n" in data else [self.rest + data]
        self.send(b"".join(map(self.take, lines)))

    def take(self, line):
        """The answer that a message gets at once, or nothing."""
        if not line.startswith(BEGINNING):
            return self.notified(line)
        end = line.index(METHOD)
        id, method_end = line[len(BEGINNING):end], line.index(b'"', end + len(METHOD))
        method = line[end + len(METHOD):method_end]
        self.upstream.counts[method.decode()] += 1
        at = line.find(PARAMS, method_end)
        params = line[at + len(PARAMS):line.rindex(b"}")] if at >= 0 else b"null"
        if method in (b"echo", b"work", b"initialize"):
            return answer(id, params)
        if method == b"hold":
            self.held.add(id)
        elif method in (b"slow", b"large"):
            self.upstream.later(self, id, method, params)
        elif method == b"counts":
            text = ",".join(f'"{name}":{count}' for name, count in self.upstream.counts.items())
            return answer(id, b"{%b}" % text.encode())
        elif method != b"stubborn":
            return b'{"jsonrpc":"2.0","id":%b,"error":{"code":-32601,"message":"no such method"}}\n' % id
        return b""

    def notified(self, line):
        if b"$/cancelRequest" not in line:
            self.upstream.counts["notifications"] += 1
            return b""
        self.upstream.counts["cancels"] += 1
        id = NUMBER.search(line, line.index(b'"id"'))[0]
        if id not in self.held:
            return b""
        self.held.discard(id)
        return b'{"jsonrpc":"2.0","id":%b,"error":{"code":-32800,"message":"cancelled"}}\n' % id

    def send(self, data):
        self.output += data
        self.flush()

    def flush(self):
        try:
            while self.output:
                del self.output[:self.connection.send(memoryview(self.output)[:CHUNK])]
        except BlockingIOError:
            pass
        self.upstream.watch(self)


class Exchanges(Peer):
    """A connection of POSTs, each of which is answered at once."""

    def read(self):
        data = self.connection.recv(CHUNK)
        if not data:
            raise ConnectionResetError
        self.rest += data
        while (end := self.rest.find(b"\r\n\r\n")) >= 0:
            length = int(HEADER.search(self.rest, 0, end)[1])
            if len(self.rest) < end + 4 + length:
                return
            body, self.rest = self.rest[end + 4:end + 4 + length], self.rest[end + 4 + length:]
            reply = self.take(body.rstrip(b"\n"))
            self.send(b"HTTP/1.1 %b\r\nContent-Length: %d\r\n\r\n%b"
                      % (b"200 OK" if reply else b"204 No Content", len(reply), reply))


class Upstream:
    """One loop over all connections and timers."""

    def __init__(self, kind):
        self.kind, self.counts, self.timers, self.number = kind, Counter(), [], 0
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.selector.register(sys.stdin, selectors.EVENT_READ)

    def later(self, peer, id, method, params):
        numbers = [int(number) for number in NUMBER.findall(params)]
        milliseconds = numbers[-1] * (random.uniform(0.5, 1.5) if method == b"slow" else 1)
        self.number += 1
        due = time.monotonic() + milliseconds / 1000
        heapq.heappush(self.timers, (due, self.number, peer, id, params if method == b"slow" else numbers[0]))

    def watch(self, peer):
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if peer.output else 0)
        if self.selector.get_key(peer.connection).events != wanted:
            self.selector.modify(peer.connection, wanted, peer)

    def serve(self):
        while True:
            wait = max(0, self.timers[0][0] - time.monotonic()) if self.timers else None
            for key, events in self.selector.select(wait):
                if key.fileobj is sys.stdin:
                    return
                if key.fileobj is self.listener:
                    connection, _ = self.listener.accept()
                    self.selector.register(connection, selectors.EVENT_READ, self.kind(self, connection))
                else:
                    self.attend(key.data, events)
            self.answer_due()

    def attend(self, peer, events):
        try:
            if events & selectors.EVENT_WRITE:
                peer.flush()
            if events & selectors.EVENT_READ:
                peer.read()
        except OSError:
            self.selector.unregister(peer.connection)
            peer.connection.close()

    def answer_due(self):
        now = time.monotonic()
        while self.timers and self.timers[0][0] <= now:
            _, _, peer, id, what = heapq.heappop(self.timers)
            if peer.connection.fileno() >= 0:
                result = what if isinstance(what, bytes) else b'"%b"' % (b"x" * (what << 10))
                try:
                    peer.send(answer(id, result))
                except OSError:
                    pass  # Its end is read in the turn that follows.


if __name__ == "__main__":
    upstream = Upstream(Exchanges if "--http" in sys.argv else Peer)
    print(upstream.listener.getsockname()[1], flush=True)
    upstream.serve()
