"""What messages as they really are cost: instructions for each request, by the shape of requests and answers.

The gateway is counted in runs of two lengths, as in counts.py; clients and upstream are played here, for under callgrind
they are the faster ones.
"""
import json
import math
import select
import socket
from dataclasses import dataclass
from threading import Thread

import counts
from programs import PATIENCE_SECONDS, Failed

CONNECTIONS, DEPTH = 64, 16
SMALL_RUNS, LARGE_RUNS = (6_000, 18_000), (3_000, 7_000)
CHUNK = 1 << 18
LARGE_BYTES = 2048
COLUMNS = "{:<34} {:>9} {:>9} {:>13}"


@dataclass
class Shape:
    """Requests with `{id}` and `{number}` in them, and what upstream answers with: the result, as text."""
    title: str
    request: str
    # Nothing: the params.
    result: str = ""
    # What the client's id looks like.
    id: str = "{number}"
    # A notification that goes before each request.
    before: str = ""
    is_small: bool = False


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def request(method, params, task=None, spaced=False):
    """The usual order of members."""
    members = {"jsonrpc": "2.0", "id": "@", "method": method, **({"task": task} if task else {}), "params": params}
    return template(json.dumps(members, ensure_ascii=False) if spaced else compact(members))


def template(text):
    """`@` stands for the id, `#` for what makes a key its own."""
    return text.replace('"@"', "{id}").replace("#", "{number}")


def many(make, byte_count):
    """As many items as fit."""
    items = []
    while len(compact([*items, make(len(items))]).encode()) < byte_count:
        items.append(make(len(items)))
    return items


def place(line, character):
    return {"line": line, "character": character}


def item(number):
    return {"label": f"name{number}", "kind": number % 25 + 1, "sortText": f"{number:04}", "preselect": number == 0,
            "insertTextFormat": 1, "detail": "Int"}


def diagnostic(number):
    return {"range": {"start": place(number, 4), "end": place(number, 19)}, "severity": number % 4 + 1,
            "code": f"E{number:04}", "source": "check", "message": f"'value{number}' is never used"}


def log_entry(number):
    return {"address": "0x" + "7a" * 20, "topics": ["0x" + "d0" * 32, "0x" + "11" * 32], "data": "0x" + "0" * 62 + "ff",
            "blockNumber": hex(19_000_000 + number), "transactionHash": "0x" + "5c" * 32, "logIndex": hex(number),
            "removed": False}


def tool(number):
    return {"name": f"read_file_{number}", "description": "Reads a file, as text, from a path below the allowed ones.",
            "inputSchema": {"type": "object", "required": ["path"], "properties": {
                "path": {"type": "string"}, "limit": {"type": "integer", "minimum": 1, "default": 100}}}}


def shapes():
    task = {"key": "box:#", "policy": "cancel"}
    query = {"query": "aaaaaaa aaaaaaa aaaa", "in": [0]}
    document = {"uri": "file:///src/gateway/Sources/Gateway/Server.swift"}
    usual = request("search", query, task)
    reordered = template(compact({"method": "search", "params": query, "task": task, "id": "@", "jsonrpc": "2.0"}))
    completions = many(item, LARGE_BYTES)
    change = {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {
        "textDocument": {**document, "version": 7}, "contentChanges": [
            {"range": {"start": place(10, 4), "end": place(10, 4)}, "rangeLength": 0, "text": "s"}]}}
    completion = request("textDocument/completion", {"textDocument": document, "position": place(10, 5)})
    logs = {"fromBlock": "0x121eac0", "toBlock": "latest", "address": "0x" + "7a" * 20, "topics": ["0x" + "d0" * 32]}
    return [
        Shape("a query", usual, is_small=True),
        Shape("the same, members in another order", reordered, compact(query), is_small=True),
        Shape("the same, ids as strings", usual, id='"request-{number}"', is_small=True),
        Shape("the same, spaced", request("search", query, task, spaced=True), compact(query), is_small=True),
        Shape("typeahead beyond ASCII", request("search", {"q": "größte Städte – 北京"}, task),
              compact(["Größe", "Städte", "北京市", "Łódź"]), is_small=True),
        Shape("the next words of a chat", request("chat.next", {"conversation": "c-7", "after": 118}),
              compact({"delta": {"role": "assistant", "content": " over the lazy"}, "index": 0, "finish": None}),
              is_small=True),
        Shape("an edit and a completion", completion, compact({"isIncomplete": False, "items": completions}),
              before=compact(change)),
        Shape("completions, both ways", request("complete", {"isIncomplete": False, "items": completions})),
        Shape("diagnostics", request("textDocument/diagnostic", {"textDocument": document}),
              compact({"kind": "full", "items": many(diagnostic, LARGE_BYTES)})),
        Shape("an Ethereum log query", request("eth_getLogs", [logs]), compact(many(log_entry, LARGE_BYTES))),
        Shape("tools of an MCP server", request("tools/list", {}), compact({"tools": many(tool, LARGE_BYTES)})),
    ]


def filled(template, **values):
    for name, value in values.items():
        template = template.replace("{" + name + "}", str(value))
    return template.encode()


class Lines:
    """One end of a connection."""

    def __init__(self, connection):
        self.socket, self.rest = connection, b""
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.settimeout(PATIENCE_SECONDS)

    def read(self):
        data = self.socket.recv(CHUNK)
        *lines, self.rest = (self.rest + data).split(b"\n")
        return lines if data else None


class Partner:
    """The upstream: it answers whatever it is asked with the shape's result."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port, self.result = self.listener.getsockname()[1], b""
        Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            lines = Lines(connection)
            try:
                while (asked := lines.read()) is not None:
                    connection.sendall(b"".join(map(self.answer, asked)))
            except OSError:
                continue

    def answer(self, line):
        """The gateway's own requests begin with their id."""
        opening = b'{"jsonrpc":"2.0","id":'
        if not line.startswith(opening):
            return b""
        number, _, rest = line[len(opening):].partition(b",")
        result = self.result or rest[rest.index(b'"params":') + len(b'"params":'):-1]
        return b'%b%b,"result":%b}\n' % (opening, number, result)

    def close(self):
        self.listener.close()


class Clients:
    """All clients: each has so many requests open, until so many have been asked in all."""

    def __init__(self, shape, port, requests):
        self.shape, self.left, self.answered, self.requests = shape, requests, 0, requests
        self.lines = [Lines(socket.create_connection(("127.0.0.1", port))) for _ in range(CONNECTIONS)]
        self.numbers = iter(range(1_000_000, 1_000_000 + requests))
        self.open = set()

    def message(self):
        number = next(self.numbers)
        own = filled(self.shape.id, number=number)
        self.open.add(own)
        before = self.shape.before.encode() + b"\n" if self.shape.before else b""
        return before + filled(self.shape.request, id=own.decode(), number=number) + b"\n"

    def ask(self, lines, count):
        count = min(count, self.left)
        self.left -= count
        if count:
            lines.socket.sendall(b"".join(self.message() for _ in range(count)))

    def hear(self, line):
        opening = b'{"jsonrpc":"2.0","id":'
        own, _, rest = line[len(opening):].partition(b",")
        if own not in self.open or not rest.startswith(b'"result":'):
            raise Failed(f"{self.shape.title}: no such answer was expected: {line[:200]!r}")
        self.open.remove(own)
        self.answered += 1

    def run(self):
        poll = select.epoll()
        by_descriptor = {lines.socket.fileno(): lines for lines in self.lines}
        for descriptor, lines in by_descriptor.items():
            poll.register(descriptor, select.EPOLLIN)
            self.ask(lines, DEPTH)
        while self.answered < self.requests:
            events = poll.poll(PATIENCE_SECONDS)
            if not events:
                raise Failed(f"{self.shape.title}: nothing is answered any more")
            for descriptor, _ in events:
                heard = by_descriptor[descriptor].read()
                if heard is None:
                    raise Failed(f"{self.shape.title}: the connection was closed")
                for line in heard:
                    self.hear(line)
                self.ask(by_descriptor[descriptor], len(heard))
        for lines in self.lines:
            lines.socket.close()


class Load:
    """In the place of the load generator of counts.py."""

    def __init__(self, shape):
        self.shape = shape

    def run(self, port, requests, **_):
        Clients(self.shape, port, requests).run()


def measure(systems, log):
    """Gives the instructions for each request by shape."""
    partner, found = Partner(), {}
    try:
        for shape in shapes():
            log(f"shapes: {shape.title}")
            partner.result = shape.result.encode()
            runs = SMALL_RUNS if shape.is_small else LARGE_RUNS
            found[shape.title] = counts.instructions(systems, "lastword", partner, Load(shape), runs)
    finally:
        partner.close()
    log("")
    return found


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def mean(found):
    """The geometric mean over the small ones."""
    return geometric_mean([found[shape.title] for shape in shapes() if shape.is_small])


def show(found):
    print("\nlastword, 64x16: user instructions for each request and its answer, by their shape")
    print(COLUMNS.format("", "request", "result", "instructions"))
    for shape in shapes():
        asked = len(filled(shape.request, id=filled(shape.id, number=1_000_000).decode(), number=1_000_000))
        sizes = (f"{size:,} B" if size else "params" for size in (asked + len(shape.before.encode()), len(shape.result.encode())))
        print(COLUMNS.format(shape.title, *sizes, f"{found[shape.title]:,.0f}"))
    best, worst = min(found, key=found.get), max(found, key=found.get)
    print()
    for title, count in [
            ("geometric mean of the small ones", mean(found)), ("geometric mean of all", geometric_mean(found.values())),
            (f"best: {best}", found[best]), (f"worst: {worst}", found[worst])]:
        print(COLUMNS.format(title, "", "", f"{count:,.0f}"))
