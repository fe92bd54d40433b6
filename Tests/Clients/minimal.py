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

At the end of its input it closes the connection, and ends with exit status 0. With LASTWORD_CA in its environment, a file
with an authority's certificate, it speaks TLS; with LASTWORD_TOKEN it says first who it is by that token. What comes of
neither is said on a line, and its exit status is not 0.
"""
import contextlib
import json
import socket
import subprocess
import sys
import threading
import time

from secure import scene
from typeahead import PATIENCE_SECONDS, WITHOUT, Client, Gateway, Program, Server, Way, expect, run, take

# What people type, and where lines end for some.
TEXT = "é\u2028 \\\"😀"
LONG = "x" * 300_000
# So many of those are more than the system keeps for a connection.
FLOOD = 60


class Driver(Client):
    def __init__(self, address, environment):
        Program.__init__(self, [*self.words, *address.rsplit(":", 1)], "stdout", env=WITHOUT | environment,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.ids = set()

    def await_outcome(self, name, outcome):
        self.do(f"wait {name}", f"{name} {outcome}")


@contextlib.contextmanager
def driving(address, environment=None):
    driver = Driver(address, Way.environment() if environment is None else environment)
    try:
        yield driver
    finally:
        driver.kill()


@contextlib.contextmanager
def serving():
    """A gateway, and what waits until so many requests are open under a key, as the gateway says."""
    with contextlib.ExitStack() as opened:
        gateway = Way.gateway()
        opened.callback(gateway.kill)
        connection, answers = Way.connect(gateway.address, opened)

        def await_open(key, count):
            request = {"jsonrpc": "2.0", "id": 1, "method": "lastword.inspect", "params": {"key": key}}
            end = time.monotonic() + PATIENCE_SECONDS
            while time.monotonic() < end:
                connection.sendall(json.dumps(request).encode() + b"\n")
                if json.loads(answers.readline())["result"]["count"] == count:
                    return
            raise AssertionError(f"{count} requests under {key!r} were not open within {PATIENCE_SECONDS} s")

        yield gateway, await_open


@contextlib.contextmanager
def contrary():
    """A contrary server, and a driver that talks to it."""
    with contextlib.closing(Server()) as server, contextlib.ExitStack() as opened:
        driver = opened.enter_context(driving(Way.reach(server.address, opened)))
        if Way.scene:
            driver.ids.add(server.expect_login(Way.scene.token))
        yield server, driver


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
    with contrary() as (server, driver):
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
    with contrary() as (server, driver):
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
        address = Way.reach("127.0.0.1:%d" % listener.getsockname()[1], opened)
        # Nobody is there who would take a token.
        driver = opened.enter_context(driving(address, Way.environment() | {"LASTWORD_TOKEN": ""}))
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
    for last_words in (b"", b"nonsense\n", b"[]\n"):
        with contrary() as (server, driver):
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


def refused(address, words, environment):
    """It says so with one of these words, answers nothing, and its exit status is not 0."""
    with driving(address, environment) as driver:
        driver.send("ask a a 1 a", "wait a")
        driver.close_input()
        said = []
        while (line := take(driver.lines, "a refusal")) is not None:
            said.append(line)
        text = "\n".join(said)
        expect(any(word in text.lower() for word in words), f"none of {words} was said, but {text!r}")
        expect("a result" not in text, f"it was answered: {text!r}")
        expect(Way.scene.token not in text and "nobodys" not in text, f"it says a token: {text!r}")
        status = driver.process.wait(PATIENCE_SECONDS)
        expect(status != 0, f"the exit status is {status}")


def not_known():
    """With a wrong token, and where it does not trust who answers, it says so and asks nothing."""
    scene, certificate = Way.scene, ["certificate", "certpath"]
    with contextlib.ExitStack() as opened:
        gateway = Gateway("--config", scene.configuration("127.0.0.1:0", "127.0.0.2:0"), listen=None)
        opened.callback(gateway.kill)
        refused(gateway.address, ["-32087"], scene.environment(token="lw_nobodys-0123456789abcdef"))
        refused(gateway.address, certificate, scene.environment(authority="unknown"))
        # Whom it does not trust it tells nothing, its token least of all.
        server = opened.enter_context(contextlib.closing(Server()))
        refused(Way.reach(server.address, opened), certificate, scene.environment(authority="unknown"))
        expect(server.logins.empty() and server.requests.empty(), "it tells those whom it does not trust")
        # Its authority is known, and its certificate is for others.
        other = gateway.await_log(r"Listening for JSON-RPC on (127\.0\.0\.2:\d+)")
        refused(other, [*certificate, "hostname", "host name", "ip address"], scene.environment())
        name = "localhost:" + gateway.address.rpartition(":")[2]
        with driving(name) as driver:
            driver.send("ask named named 1 named")
            driver.await_outcome("named", "result named")
            driver.end(command=None)


def checks():
    """What is held against a client, both ways."""
    found = [superseded, taken_back]
    # The contrary server knows no other framing than lines.
    if "--framed" in sys.argv:
        return found
    found += [disobedient, failing, lost]
    # Those of one thread alone read while they wait.
    if not any("c-driver" in word or "driver.sh" in word for word in sys.argv):
        found.append(flooded)
    return found


if __name__ == "__main__":
    Client.words = sys.argv[1:]
    run(*checks(), nobody)
    print("with TLS and a token", flush=True)
    with scene() as Way.scene:
        run(*checks(), not_known)
