#!/usr/bin/env python3
"""Holds a minimal client of examples/clients against a real gateway and a contrary server.

    python3 minimal.py WORDS...

WORDS start a driver of the client, one of minimal/; HOST and PORT are put behind them. LASTWORD_BINARY names the gateway.
Started by scripts/minimal-clients. What a driver does with each line of its standard input:

    ask NAME KEY MS TEXT    calls `sleep` with MS and the text, under that key, and goes on at once
    call NAME METHOD        calls the method without params and task, and goes on at once
    cancel NAME             takes a call back
    wait NAME               waits for it, and prints its name and
                            `result TEXT`, `error CODE [unwanted] [may-have-run]` or `lost`

At the end of its input it closes the connection, and ends with exit status 0.
"""
import contextlib
import json
import socket
import subprocess
import sys
import threading
import time

from typeahead import PATIENCE_SECONDS, Client, Gateway, Program, Server, expect, run, take

# What people type, and where lines end for some.
TEXT = "é\u2028 \\\"😀"
LONG = "x" * 300_000
# So many of those are more than the system keeps for a connection.
FLOOD = 60


class Driver(Client):
    def __init__(self, address):
        Program.__init__(self, [*self.words, *address.rsplit(":", 1)], "stdout",
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.ids = set()

    def await_outcome(self, name, outcome):
        self.do(f"wait {name}", f"{name} {outcome}")


@contextlib.contextmanager
def driving(address):
    driver = Driver(address)
    try:
        yield driver
    finally:
        driver.kill()


@contextlib.contextmanager
def serving():
    """A gateway, and what waits until so many requests are open under a key, as the gateway says."""
    with contextlib.ExitStack() as opened:
        gateway = Gateway()
        opened.callback(gateway.kill)
        host, port = gateway.address.rsplit(":", 1)
        connection = opened.enter_context(socket.create_connection((host, int(port)), PATIENCE_SECONDS))
        answers = opened.enter_context(connection.makefile("r", encoding="utf-8"))

        def await_open(key, count):
            request = {"jsonrpc": "2.0", "id": 1, "method": "lastword.inspect", "params": {"key": key}}
            end = time.monotonic() + PATIENCE_SECONDS
            while time.monotonic() < end:
                connection.sendall(json.dumps(request).encode() + b"\n")
                if json.loads(answers.readline())["result"]["count"] == count:
                    return
            raise AssertionError(f"{count} requests under {key!r} were not open within {PATIENCE_SECONDS} s")

        yield gateway, await_open


def superseded():
    """The newest request of a key gets its result, and the older one hears that it is superseded."""
    with serving() as (gateway, await_open), driving(gateway.address) as driver:
        driver.send(f"ask first first 1 {TEXT}")
        driver.await_outcome("first", f"result {TEXT}")
        driver.send("ask slow box 60000 s")
        await_open("box", 1)
        driver.send("ask quick box 1 sw")
        driver.await_outcome("slow", "error -32080 unwanted may-have-run")
        driver.await_outcome("quick", "result sw")
        driver.send("call unknown nothing")
        driver.await_outcome("unknown", "error -32601")
        driver.end(command=None)


def taken_back():
    """What is taken back is cancelled at the gateway, and the connection goes on."""
    with serving() as (gateway, await_open), driving(gateway.address) as driver:
        driver.send("ask left left 60000 l")
        await_open("left", 1)
        driver.send("cancel left")
        await_open("left", 0)
        driver.send("ask last last 1 l")
        driver.await_outcome("last", "result l")
        driver.end(command=None)


def requests(driver, server, *names):
    """What comes for them, asked at once: threads may overtake each other."""
    for name in names:
        driver.send(f"ask {name} {name} 5 {name}")
    found = {}
    for _ in names:
        request = take(server.requests, f"one of {names}")
        expected = {"jsonrpc": "2.0", "id": request.id, "method": "sleep", "params": {"ms": 5, "q": request.query},
                    "task": {"key": request.query}}
        expect(request.message == expected, f"{expected} was expected, not {request.message}")
        expect(request.id not in driver.ids, f"the id {request.id} is used again")
        driver.ids.add(request.id)
        found[request.query] = request
    expect(sorted(found) == sorted(names), f"{names} were expected, not {sorted(found)}")
    return [found[name] for name in names]


def disobedient():
    """Each call gets its own answer, whatever else comes, and in whatever order."""
    with contextlib.closing(Server()) as server, driving(server.address) as driver:
        a, b, c = requests(driver, server, "a", "b", "c")
        c.answer()
        # What nobody waits for changes nothing.
        a.write(b'{"jsonrpc":"2.0","method":"note"}\n{"jsonrpc":"2.0","id":999,"result":{"q":"z"}}\n')
        a.write(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}\n')
        c.fail(-5, "twice")
        b.reply(result={"q": LONG})
        a.reply(result={"q": "first"}, error=None)
        driver.await_outcome("a", "result first")
        driver.await_outcome("b", f"result {LONG}")
        driver.await_outcome("c", "result c")
        driver.end(command=None)


def failing():
    """An error says what it means, and whether upstream may have done the work."""
    with contextlib.closing(Server()) as server, driving(server.address) as driver:
        for number, (code, data, outcome) in enumerate([
            (-32084, {"upstream": "mayHaveCompleted", "phase": "running"}, " may-have-run"),
            (-32083, {"upstream": "cancelSent", "phase": "running"}, " may-have-run"),
            (-32800, {"upstream": "notSent", "phase": "queued"}, " unwanted"),
            (-32080, {}, " unwanted"), (-5, [1], ""), (-5, "cancelSent", ""), (-5, None, ""),
        ]):
            request, = requests(driver, server, f"f{number}")
            request.reply(error={"code": code, "message": "m", "data": data})
            driver.await_outcome(f"f{number}", f"error {code}{outcome}")
        driver.end(command=None)


def flooded():
    """It reads while it writes: a server that is read from first does not wait for ever."""
    with contextlib.ExitStack() as opened:
        listener = opened.enter_context(socket.create_server(("127.0.0.1", 0)))
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        listener.settimeout(PATIENCE_SECONDS)
        driver = opened.enter_context(driving("127.0.0.1:%d" % listener.getsockname()[1]))
        connection = opened.enter_context(listener.accept()[0])
        connection.settimeout(PATIENCE_SECONDS)
        asking = threading.Thread(target=driver.send, args=[f"ask n{number} n 5 {LONG}" for number in range(FLOOD)],
                                  daemon=True)
        asking.start()
        other = json.dumps({"jsonrpc": "2.0", "id": 999_999, "result": {"q": LONG}}).encode() + b"\n"
        try:
            for _ in range(FLOOD):
                connection.sendall(other)
        except TimeoutError:
            raise AssertionError("it does not read while it cannot write") from None
        lines = opened.enter_context(connection.makefile("rb"))
        for _ in range(FLOOD):
            message = json.loads(lines.readline())
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": {"q": "n"}}
            connection.sendall(json.dumps(answer).encode() + b"\n")
        asking.join(PATIENCE_SECONDS)
        driver.await_outcome(f"n{FLOOD - 1}", "result n")
        driver.end(command=None)


def lost():
    """When the connection ends, or what comes is no message, what is open fails, and what is asked later."""
    with contextlib.closing(Server()) as server:
        for last_words in (b"", b"nonsense\n", b"[]\n"):
            with driving(server.address) as driver:
                g, h = requests(driver, server, "g", "h")
                g.answer()
                driver.await_outcome("g", "result g")
                h.write(last_words)
                if not last_words:
                    h.connection.shutdown(socket.SHUT_RDWR)
                driver.await_outcome("h", "lost")
                for name in ("late", "later"):
                    driver.send(f"ask {name} {name} 5 {name}")
                    driver.await_outcome(name, "lost")
                driver.end(command=None)


def nobody():
    """Where nobody listens, that is said, or what is asked fails."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        with driving("127.0.0.1:%d" % silent.getsockname()[1]) as driver:
            driver.send("ask a a 1 a", "wait a")
            line = take(driver.lines, "that nobody is there")
            expect(line == "a lost" or driver.process.wait(PATIENCE_SECONDS) != 0, f"nobody is there: {line!r}")


if __name__ == "__main__":
    Client.words = sys.argv[1:]
    run(superseded, taken_back, nobody)
    # The contrary server knows no other framing than lines.
    if "--framed" not in sys.argv:
        run(disobedient, failing, lost)
        # Those of one thread alone read while they wait.
        if not any("c-driver" in word or "driver.sh" in word for word in sys.argv):
            run(flooded)
