#!/usr/bin/env python3
"""Holds a client of examples/clients against real gateways and a contrary server. Started by scripts/typeahead.

    python3 typeahead.py WORDS...

WORDS start the client; HOST:PORT and KEY are put behind them. LASTWORD_BINARY names the gateway.
What a client has to do is said in examples/clients/README.md.
"""
import contextlib
import json
import os
import queue
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time

from secure import Relay, scene

PATIENCE_SECONDS = float(os.environ.get("TYPEAHEAD_PATIENCE_SECONDS", 60))
KEY = "box-1"
TASK = {"key": KEY, "policy": "cancel"}
SUPERSEDED, CANCELLED = -32080, -32800
LINE_LIMIT_BYTES = 4 << 20
# What a client is not to have from elsewhere.
WITHOUT = {name: value for name, value in os.environ.items() if name not in ("LASTWORD_CA", "LASTWORD_TOKEN")}
UNAUTHENTICATED, NOT_ALLOWED_STATUS = -32087, 77


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def take(waiting, what):
    try:
        return waiting.get(timeout=PATIENCE_SECONDS)
    except queue.Empty:
        raise AssertionError(f"{what} did not come within {PATIENCE_SECONDS} s") from None


class Program:
    """A process whose lines of one stream wait in `lines`, None behind the last."""

    def __init__(self, words, stream, **others):
        self.process = subprocess.Popen(words, text=True, encoding="utf-8", bufsize=1, **others)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, args=(getattr(self.process, stream),), daemon=True).start()

    def read(self, stream):
        for line in stream:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Way:
    """How a client and what it talks to are brought together: without TLS and a token, or, with a scene, with both."""

    scene = None

    @classmethod
    def gateway(cls, *options, listen="127.0.0.1:0"):
        if not cls.scene:
            return Gateway(*options, listen=listen)
        gateway = Gateway("--config", cls.scene.configuration(listen), *options, listen=None)
        gateway.options = options
        return gateway

    @classmethod
    def restarted(cls, gateway):
        gateway.kill()
        return cls.gateway(*gateway.options, listen=gateway.address)

    @classmethod
    def place(cls, address):
        """As a client is told of it."""
        return f"tls:{address}" if cls.scene else address

    @classmethod
    def connect(cls, address, opened):
        """A connection of the test's own to a gateway, and the lines that come over it."""
        host, port = address.rsplit(":", 1)
        connection = opened.enter_context(socket.create_connection((host, int(port)), PATIENCE_SECONDS))
        if cls.scene:
            context = ssl.create_default_context(cafile=cls.scene.file("ca.pem"))
            connection = opened.enter_context(context.wrap_socket(connection, server_hostname="localhost"))
        lines = opened.enter_context(connection.makefile("r", encoding="utf-8"))
        if cls.scene:
            params = {"token": cls.scene.token}
            login = {"jsonrpc": "2.0", "id": 0, "method": "lastword.authenticate", "params": params}
            connection.sendall(json.dumps(login).encode() + b"\n")
            expect("result" in json.loads(lines.readline()), "the token of the test's own connection is not known")
        return connection, lines

    @classmethod
    def reach(cls, address, opened):
        """Where a client finds the contrary server that listens at an address."""
        if not cls.scene:
            return address
        relay = Relay(address, cls.scene.file("server.pem"), cls.scene.file("server.key"))
        opened.callback(relay.close)
        return relay.address

    @classmethod
    def environment(cls):
        return cls.scene.environment() if cls.scene else {}


class Client(Program):
    """The program under test."""

    words = []

    def __init__(self, address, environment=None):
        # It has nothing to say on standard error either.
        super().__init__([*self.words, Way.place(address), KEY], "stdout",
                         env=WITHOUT | (Way.environment() if environment is None else environment),
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def send(self, *commands):
        # A client that is gone is found out by what it does not print.
        with contextlib.suppress(OSError):
            for command in commands:
                self.process.stdin.write(command + "\n")

    def close_input(self):
        # What it did not take is still there to be written, and it may be gone.
        with contextlib.suppress(OSError):
            self.process.stdin.close()

    def expect(self, *lines):
        for place, line in enumerate(lines):
            found = take(self.lines, f"{line!r}")
            expect(found == line, f"{line!r} was expected, not {found!r}; before it: {lines[:place]}")

    def do(self, command, *lines):
        self.send(command)
        self.expect(*lines)

    def end(self, *lines, command="quit"):
        self.send(*[command] if command else [])
        if not command:
            self.close_input()
        self.expect(*lines)
        rest = take(self.lines, "the end")
        expect(rest is None, f"{rest!r} was printed at the end")
        status = self.process.wait(PATIENCE_SECONDS)
        expect(status == 0, f"the exit status is {status}")


class Gateway(Program):
    """`lastword serve`; another may be started in its place."""

    def __init__(self, *options, listen="127.0.0.1:0"):
        # Where none is said the configuration says it.
        places = ["--listen", listen] if listen else []
        words = [os.environ["LASTWORD_BINARY"], "serve", *places, "--log-format", "text", *options]
        super().__init__(words, "stderr", stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.options = options
        self.address = self.await_log(r"Listening for JSON-RPC on (127\.0\.0\.1:\d+)")

    def await_log(self, pattern):
        while (line := take(self.lines, pattern)) is not None:
            if found := re.search(pattern, line):
                return found[found.lastindex or 0]
        raise AssertionError(f"the gateway ended before it said {pattern}")


class Request:
    """What came to a server of the test's, and how it is answered."""

    def __init__(self, connection, message):
        self.connection, self.message = connection, message
        self.id, self.query = message["id"], message["params"]["q"]

    def write(self, data):
        # The other end may be gone by now.
        with contextlib.suppress(OSError):
            self.connection.sendall(data)

    def reply(self, **members):
        self.write(json.dumps({"jsonrpc": "2.0", "id": self.id, **members}).encode() + b"\n")

    def answer(self):
        self.reply(result=self.message["params"])

    def fail(self, code, message):
        self.reply(error={"code": code, "message": message})


class Server:
    """A JSON-RPC server that answers when the test says so, and does not do as it is told."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        self.requests, self.cancelled, self.connections = queue.Queue(), queue.Queue(), []
        # Who said who they are, and what they are answered before it is that they are known; None: nothing, and the end.
        self.logins, self.refusals = queue.Queue(), []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection = self.listener.accept()[0]
                self.connections.append(connection)
                threading.Thread(target=self.listen, args=(connection,), daemon=True).start()

    def listen(self, connection):
        with contextlib.suppress(OSError):
            for line in connection.makefile("rb"):
                message = json.loads(line)
                if message["method"] == "lastword.authenticate":
                    self.logins.put(message)
                    members = self.refusals.pop(0) if self.refusals else {"result": {"principal": "ada"}}
                    if members is None:
                        connection.shutdown(socket.SHUT_RDWR)
                        return
                    answer = {"jsonrpc": "2.0", "id": message["id"], **members}
                    connection.sendall(json.dumps(answer).encode() + b"\n")
                elif message["method"] == "$/cancelRequest":
                    self.cancelled.put(message["params"]["id"])
                else:
                    self.requests.put(Request(connection, message))

    def take(self, query):
        request = take(self.requests, f"a request for {query!r}")
        expect(request.query == query, f"{query!r} was expected, {request.query!r} was asked")
        return request

    def expect_login(self, token):
        """It comes before anything else."""
        login = take(self.logins, "who it is")
        wanted = {"jsonrpc": "2.0", "id": login["id"], "method": "lastword.authenticate", "params": {"token": token}}
        expect(login == wanted, f"{wanted} was expected, not {login}")
        return login["id"]

    def expect_cancelled(self, request):
        cancelled = take(self.cancelled, f"that {request.query!r} is not wanted")
        expect(cancelled == request.id, f"{request.query!r} has id {request.id}, but {cancelled!r} was cancelled")

    def expect_silence(self):
        expect(self.requests.empty(), "something was asked too much")
        expect(self.cancelled.empty(), "something was cancelled too much")

    def close(self):
        for open_socket in (self.listener, *self.connections):
            with contextlib.suppress(OSError):
                open_socket.shutdown(socket.SHUT_RDWR)
            open_socket.close()


@contextlib.contextmanager
def serving(*options):
    """A gateway with an upstream of the test's, a client of it that is online, and how to change the gateway."""
    with contextlib.closing(Server()) as upstream, contextlib.ExitStack() as programs:
        gateway = Way.gateway("--upstream", f"tcp:{upstream.address}", *options)
        programs.callback(lambda: gateway.kill())
        client = Client(gateway.address)
        programs.callback(client.kill)
        client.expect("online")

        def restart():
            nonlocal gateway
            gateway = Way.restarted(gateway)

        def current():
            return gateway
        yield client, upstream, current, restart


@contextlib.contextmanager
def contrary():
    """A client that is online, and the server that it talks to."""
    with contextlib.closing(Server()) as server, contextlib.ExitStack() as programs:
        client = Client(Way.reach(server.address, programs))
        programs.callback(client.kill)
        client.expect("online")
        if Way.scene:
            server.expect_login(Way.scene.token)
        yield client, server


def open_request(client, server, query):
    client.do(f"type {query}", "spinner on")
    return server.take(query)


# MARK: What is held against each client


def demo():
    """Typing against the demo handler, fast, wrongly, and not at all."""
    gateway = Way.gateway()
    client = Client(gateway.address)
    try:
        client.expect("online")
        client.send("type s", "type sw", "type swift", "wait")
        client.expect("spinner on", "spinner off", "shown swift", "idle")
        client.send("clear", "wait", f"type {'x' * 21}", "wait", "type a \"b\" \\ é €", "wait")
        client.expect("idle", "spinner on", "spinner off",
                      'failed -32602 sleep wants {"ms":N}, N from 0 to 60000', "idle")
        client.expect("spinner on", "spinner off", "shown a \"b\" \\ é €", "idle")
        client.end()
    finally:
        client.kill()
        gateway.kill()


def superseded():
    """Each query supersedes the one before it, here and upstream; another client's does so, too."""
    with serving() as (client, upstream, gateway, _):
        older = open_request(client, upstream, "s")
        client.send("type sw")
        newer = upstream.take("sw")
        upstream.expect_cancelled(older)
        older.fail(CANCELLED, "cancelled")
        newer.answer()
        client.expect("spinner off", "shown sw")

        taken = open_request(client, upstream, "b")
        with contextlib.ExitStack() as opened:
            other, answers = Way.connect(gateway().address, opened)
            other.sendall(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "sleep", "params": {"q": "other"},
                                      "task": TASK}).encode() + b"\n")
            upstream.take("other").answer()
            answers.readline()
        upstream.expect_cancelled(taken)
        client.expect("spinner off")
        client.do("wait", "idle")
        client.end()


def failing():
    """An error of upstream is shown, once, and the spinner goes off."""
    with serving() as (client, upstream, _, _):
        open_request(client, upstream, "a").fail(-32000, "no index")
        client.expect("spinner off", "failed -32000 no index")
        open_request(client, upstream, "b").answer()
        client.expect("spinner off", "shown b")
        client.end()


def taking_back():
    """What is open is taken back upstream, by `clear` and by `quit`."""
    with serving() as (client, upstream, _, _):
        request = open_request(client, upstream, "a")
        client.do("clear", "spinner off")
        upstream.expect_cancelled(request)
        client.send("clear")
        client.do("wait", "idle")
        request = open_request(client, upstream, "b")
        client.end("spinner off")
        upstream.expect_cancelled(request)
    with serving() as (client, upstream, _, _):
        request = open_request(client, upstream, "a")
        client.end("spinner off", command=None)
        upstream.expect_cancelled(request)


def killed():
    """The gateway goes while a request is open, is replaced in the meantime, or is cleared; and while none is."""
    with serving() as (client, upstream, gateway, restart):
        open_request(client, upstream, "a")
        gateway().kill()
        client.expect("offline")
        restart()
        client.expect("online")
        upstream.take("a").answer()
        client.expect("spinner off", "shown a")

        open_request(client, upstream, "b")
        gateway().kill()
        client.expect("offline")
        client.send("type c", "type d")
        restart()
        client.expect("online")
        upstream.take("d").answer()
        client.expect("spinner off", "shown d")

        open_request(client, upstream, "e")
        gateway().kill()
        client.expect("offline")
        client.do("clear", "spinner off")
        restart()
        client.expect("online")
        gateway().kill()
        client.expect("offline")
        client.do("wait", "idle")
        client.do("type f", "spinner on")
        restart()
        client.expect("online")
        upstream.take("f").answer()
        client.expect("spinner off", "shown f")
        upstream.expect_silence()
        gateway().kill()
        client.expect("offline")
        client.do("type g", "spinner on")
        client.end("spinner off")


def told_to_stop():
    """A gateway that gives up what is open, or refuses what is new, is one that goes: the next one is asked."""
    with serving("--drain-ms", "50") as (client, upstream, gateway, restart):
        open_request(client, upstream, "a")
        gateway().process.terminate()
        client.expect("offline")
        restart()
        client.expect("online")
        upstream.take("a").answer()
        client.expect("spinner off", "shown a")
        client.end()
    with serving("--drain-ms", "60000") as (client, upstream, gateway, restart):
        open_request(client, upstream, "a")
        gateway().process.terminate()
        gateway().await_log("draining")
        client.do("type b", "offline")
        restart()
        client.expect("online")
        upstream.take("b").answer()
        client.expect("spinner off", "shown b")
        client.end()


def disobedient():
    """A server that knows no keys, answers what was taken back, and says what nobody asked."""
    with contrary() as (client, server):
        first = open_request(client, server, "a")
        client.send("type ab")
        second = server.take("ab")
        first.answer()
        first.fail(-32000, "too late")
        first.write(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}\n'
                    b'{"jsonrpc":"2.0","id":999999,"result":{"q":"nobody\'s"}}\n'
                    b'{"jsonrpc":"2.0","id":"theirs","result":{"q":"theirs"}}\n'
                    b'{"jsonrpc":"2.0","method":"news","params":[{"q":"none"}]}\n')
        second.answer()
        client.expect("spinner off", "shown ab")
        second.answer()

        third = open_request(client, server, "abc")
        for request in (first, second, third):
            text = request.query
            wanted = {"jsonrpc": "2.0", "id": request.id, "method": "sleep",
                      "params": {"ms": 1000 - 50 * len(text), "q": text}, "task": TASK}
            expect(request.message == wanted, f"{request.message} was sent, not {wanted}")
        second.fail(-32000, "too late again")
        client.do("clear", "spinner off")
        server.expect_cancelled(third)
        third.answer()

        for result in (None, ["q"], "q", {}):
            open_request(client, server, "odd").reply(result=result)
            client.expect("spinner off", "shown ")
        for odd in ({}, {"error": None}):
            open_request(client, server, "odd").reply(**odd)
            client.expect("spinner off", "shown ")
        open_request(client, server, "odd").reply(result={"q": "even"}, error=None)
        client.expect("spinner off", "shown even")
        for error in ("x", [], {}, {"code": "1", "message": 7}):
            open_request(client, server, "odd").reply(error=error)
            client.expect("spinner off", "failed 0 ")
        for code in (SUPERSEDED, CANCELLED):
            open_request(client, server, "abcd").fail(code, "not wanted")
            client.expect("spinner off")
        client.do("wait", "idle")
        server.expect_silence()
        client.end()


def piecemeal():
    """Answers in pieces, several at once, long, and with every kind of escape; half of one is none."""
    with contrary() as (client, server):
        older = open_request(client, server, "é")
        client.send("type €uro 😀")
        request = server.take("€uro 😀")
        expect(older.query == "é", "é goes out as it is")
        text = json.dumps({"result": {"more": [{"q": "in"}, [], {}, None, True, -1.5e3, "\"{[\\"], "q": request.query},
                           "jsonrpc": "2.0", "id": request.id}, ensure_ascii=False).encode()
        older.reply(result={"q": "stale"})
        for place in range(len(text)):
            request.write(text[place:place + 1])
        request.write(b"\n" + text + b"\n")
        client.expect("spinner off", "shown €uro 😀")

        request = open_request(client, server, "z")
        request.write(b'{"jsonrpc":"2.0","id":%d,"result":{"pad":"%s","q":"caf\\u00e9 \\ud83d\\ude00 \\"\\\\\\/"}}\r\n'
                      % (request.id, b"x" * 100_000))
        client.expect("spinner off", 'shown café 😀 "\\/')

        request = open_request(client, server, "half")
        request.write(b'{"jsonrpc":"2.0","id":%d,"result":{"q":"half"}}' % request.id)
        request.connection.shutdown(socket.SHUT_RDWR)
        client.expect("offline", "online")
        again = server.take("half")
        expect(again.id not in (older.id, request.id), "an id is used again")
        again.answer()
        client.expect("spinner off", "shown half")
        client.end()


def nonsense():
    """A line that is no message, or never ends, ends the connection, not the request."""
    with contrary() as (client, server):
        for line in (b"nonsense\n", b"[1]\n", b"null\n", b"\xff\n", b"x" * (LINE_LIMIT_BYTES + 100_000)):
            request = open_request(client, server, "a")
            request.write(line)
            client.expect("offline", "online")
            server.take("a").answer()
            client.expect("spinner off", "shown a")
        client.end()


def before_the_gateway():
    """A query that is typed before there is a gateway is answered when there is one."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    # A name may have several addresses, of which the gateway has one.
    client, gateway = Client(f"localhost:{port}"), None
    try:
        client.send("type swi", "type swift", "wait")
        client.expect("spinner on")
        gateway = Way.gateway(listen=f"127.0.0.1:{port}")
        client.expect("online", "spinner off", "shown swift", "idle")
        client.end()
    finally:
        client.kill()
        if gateway:
            gateway.kill()


# MARK: TLS, and who comes


def refused(address, environment, *beginnings):
    """A client says that it is, why, and ends, whatever it is asked meanwhile."""
    client = Client(address, environment)
    try:
        client.send("type a")
        said = []
        while (line := take(client.lines, "a refusal")) is not None:
            said.append(line)
        expect(said and any(said[-1].startswith(f"refused {text}") for text in beginnings),
               f"{said} does not end by a refusal for {beginnings}")
        expect(set(said[:-1]) <= {"spinner on"}, f"{said} says more than a refusal")
        expect(not any(token in line for line in said for token in (Way.scene.token, "nobodys")), "it says a token")
        status = client.process.wait(PATIENCE_SECONDS)
        expect(status == NOT_ALLOWED_STATUS, f"the exit status is {status}")
    finally:
        client.kill()


def not_known():
    """With a wrong token, and where it does not trust who answers, it says so and ends, and has asked nothing."""
    scene = Way.scene
    with contextlib.ExitStack() as opened:
        gateway = Gateway("--config", scene.configuration("127.0.0.1:0", "127.0.0.2:0"), listen=None)
        opened.callback(gateway.kill)
        refused(gateway.address, scene.environment(token="lw_nobodys-0123456789abcdef"),
                f"{UNAUTHENTICATED} unauthenticated")
        refused(gateway.address, scene.environment(authority="unknown"), "certificate: ")
        # Its authority is known, and its certificate is for others.
        refused(gateway.await_log(r"Listening for JSON-RPC on (127\.0\.0\.2:\d+)"), scene.environment(), "certificate: ")
        # Whom it does not trust it tells nothing, its token least of all.
        server = opened.enter_context(contextlib.closing(Server()))
        refused(Way.reach(server.address, opened), scene.environment(authority="unknown"), "certificate: ")
        expect(server.logins.empty(), "it says its token to those whom it does not trust")
        server.expect_silence()


def taken_away():
    """A token that is taken away ends the connection, and then the client."""
    with contextlib.ExitStack() as opened:
        gateway = Way.gateway()
        opened.callback(gateway.kill)
        client = Client(gateway.address)
        opened.callback(client.kill)
        client.expect("online")
        Way.scene.configuration("127.0.0.1:0", kept=f'tokens = ["sha256:{"0" * 64}"]')
        gateway.process.send_signal(signal.SIGHUP)
        client.expect("offline", f"refused {UNAUTHENTICATED} unauthenticated")
        expect(take(client.lines, "the end") is None, "something follows a refusal")
        expect(client.process.wait(PATIENCE_SECONDS) == NOT_ALLOWED_STATUS, "the exit status is another")


def not_yet_known():
    """Where its token is not answered, or with another error, it is not online, and tries again."""
    busy = {"error": {"code": -32082, "message": "overloaded"}}
    going = {"error": {"code": -32085, "message": "shutting down"}}
    with contextlib.closing(Server()) as server, contextlib.ExitStack() as opened:
        server.refusals = [None, busy, going]
        client = Client(Way.reach(server.address, opened))
        opened.callback(client.kill)
        client.do("type a", "spinner on")
        for _ in range(4):
            server.expect_login(Way.scene.token)
        client.expect("online")
        server.take("a").answer()
        client.expect("spinner off", "shown a")
        server.expect_silence()
        client.end()


def run(*checks):
    """Ends at the first that finds something, and says what that one is about."""
    for check in checks:
        begun = time.monotonic()
        try:
            check()
        except AssertionError as error:
            sys.exit(f"error: {check.__doc__.splitlines()[0]}\n       {check.__name__}: {error}")
        print(f"{check.__name__}: {time.monotonic() - begun:.1f} s", flush=True)


def main(*words):
    Client.words = words
    checks = [demo, superseded, failing, taking_back, killed, told_to_stop, disobedient, piecemeal, nonsense,
              before_the_gateway]
    run(*checks)
    print("with TLS and a token", flush=True)
    with scene() as Way.scene:
        run(*checks, not_known, taken_away, not_yet_known)


if __name__ == "__main__":
    main(*sys.argv[1:])
