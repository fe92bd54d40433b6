#!/usr/bin/env python3
"""Plays transcripts against a gateway, and says of each whether it was kept. Python 3.9, standard library only.

What is assumed of the gateway, and what counts as the same, is in proto/README.md, under "Transcripts".
"""
import argparse
import copy
import os
import pathlib
import signal
import socket
import sys
import time

import transcript
import transports

PING = '{"jsonrpc":"2.0","id":"in step?","method":"lastword.ping"}'
PONG = '{"jsonrpc":"2.0","id":"in step?","result":null}'
QUESTION = '{"jsonrpc":"2.0","id":"in step?","method":"in step?"}'
LAST_WORD = '{"jsonrpc":"2.0","method":"$/end"}'
LONGEST_HEADER_BYTES = 8192


class Failure(Exception):
    """What a gateway did otherwise than a transcript says."""


def connect(address, seconds, transport="lines"):
    """A client's connection to the gateway."""
    if transport == "websocket":
        return transports.WebSocket(address, seconds)
    if transport == "post":
        return transports.Posts(address, seconds)
    return Connection(transports.dial(address, seconds), seconds)


class Connection:
    """One side of a conversation: a client's, or upstream's."""

    # What comes, comes in the order of the transcript.
    in_order = True

    def __init__(self, connected, seconds):
        self.socket = connected
        self.socket.settimeout(seconds)
        if self.socket.family != socket.AF_UNIX:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""
        self.unsent = b""
        # How the gateway answers here: as the first message came.
        self.form = None
        self.has_finished = False

    def say(self, step):
        """Keeps what is said together, so that it leaves in one write."""
        if self.form is None:
            data = step.framed().lstrip(b"\xef\xbb\xbf \t\r\n")
            if data:
                self.form = "C" if data[:1] in b"cC" else ""
        self.unsent += step.framed()

    def flush(self):
        unsent, self.unsent = self.unsent, b""
        try:
            self.socket.sendall(unsent)
        except (BrokenPipeError, ConnectionResetError):
            # What comes back is what matters.
            pass

    def close(self):
        self.socket.close()

    def finish(self):
        self.has_finished = True
        self.socket.shutdown(socket.SHUT_WR)

    def receive(self):
        """The next message without its framing; None at the stream's end."""
        if self.form != "C":
            return self.take_until(b"\n")
        header = self.take_until(b"\r\n\r\n")
        if header is None:
            return None
        name, _, length = header.partition(": ")
        if name != "Content-Length" or not length.isdigit():
            raise Failure(f"a wrong header came: {header!r}")
        while len(self.buffer) < int(length):
            if not self.fill():
                raise Failure("the connection ended within a body")
        body, self.buffer = self.buffer[:int(length)], self.buffer[int(length):]
        return body.decode()

    def take_until(self, end):
        searched = 0
        while True:
            found = self.buffer.find(end, searched)
            if found >= 0:
                line, self.buffer = self.buffer[:found], self.buffer[found + len(end):]
                return line.decode()
            if self.form == "C" and len(self.buffer) > LONGEST_HEADER_BYTES:
                raise Failure("no header came")
            searched = max(0, len(self.buffer) - len(end))
            if not self.fill():
                if self.buffer:
                    raise Failure(f"the connection ended within a message: {self.buffer[:80]!r}")
                return None

    def fill(self):
        try:
            chunk = self.socket.recv(1 << 16)
        except socket.timeout:
            raise Failure("nothing came") from None
        except ConnectionResetError:
            return False
        self.buffer += chunk
        return bool(chunk)


class Upstream:
    """The server behind the gateway, whom the runner plays: one connection for all transcripts."""

    def __init__(self, address, seconds):
        self.seconds = seconds
        if address.startswith("unix:"):
            self.listener = socket.socket(socket.AF_UNIX)
            self.listener.bind(address[len("unix:"):])
            self.listener.listen()
        else:
            host, port = address.rsplit(":", 1)
            self.listener = socket.create_server((host.strip("[]"), int(port)))
        self.listener.settimeout(seconds)
        self.connection = None

    def accept(self):
        """The connection, which the gateway makes when it finds that somebody listens."""
        if self.connection is None:
            self.connection = Connection(self.listener.accept()[0], self.seconds)
        return self.connection


class Player:
    """Plays one transcript."""

    def __init__(self, arguments, upstream, has_own_upstreams):
        self.arguments = arguments
        self.upstream = upstream
        # Each client connection has a connection to upstream for itself, made when it asks for something.
        self.has_own_upstreams = has_own_upstreams
        self.plays_upstream = False
        self.ids = transcript.ChosenIDs()
        self.comparison = transcript.Comparison(arguments.recommended, self.ids)
        self.connections = {}
        self.ended = set()
        self.upstream_has_ended = False
        # Who has said something that has not left yet.
        self.talking = None

    def play(self, steps):
        self.plays_upstream = any(isinstance(step, transcript.UpstreamStep) for step in steps)
        try:
            if self.plays_upstream and not self.has_own_upstreams:
                # Before a client says anything: it would wait only so long.
                self.upstream.accept()
            for step in steps:
                try:
                    self.take(step)
                except (Failure, OSError) as error:
                    raise Failure(f"line {step.number}: {error}") from None
            self.check_that_nothing_is_left()
        finally:
            for connection in self.connections.values():
                connection.close()

    def take(self, step):
        if isinstance(step, transcript.Stop):
            self.flush()
            return self.stop()
        if isinstance(step, transcript.UpstreamStep):
            self.flush()
            return self.take_upstream(step)
        if step.connection not in self.connections:
            self.connections[step.connection] = connect(
                self.arguments.address, self.arguments.seconds, self.arguments.transport)
        connection = self.connections[step.connection]
        if step.is_sent and step.form != "E":
            if self.talking is not connection:
                self.flush()
            self.talking = connection
            return connection.say(step)
        self.flush()
        if step.is_sent:
            connection.finish()
        else:
            self.expect(step, connection)

    def flush(self):
        if self.talking:
            self.talking.flush()
        self.talking = None

    def take_upstream(self, step):
        connection = self.upstream.accept()
        if step.is_sent:
            return connection.socket.sendall(self.ids.write_into(step.text).encode() + b"\n")
        got = connection.receive()
        if step.is_end:
            self.upstream_has_ended = True
            if got is not None:
                raise Failure(f"upstream should have heard that no more comes; this came: {clipped(got)}")
            return
        if got is None:
            raise Failure("the gateway closed its connection to upstream")
        self.compare(step.text, got)

    def expect_http(self, step, connection):
        """All that comes is a response of HTTP with this status."""
        self.ended.add(step.connection)
        while connection.fill():
            pass
        status = connection.buffer.partition(b"\r\n")[0].decode(errors="replace")
        if not status.startswith(f"HTTP/1.1 {step.text} "):
            raise Failure(f"a response of HTTP with the status {step.text} should have come; this came: {clipped(status)}")

    def expect(self, step, connection):
        if step.form == "H":
            return self.expect_http(step, connection)
        if not connection.in_order:
            return self.expect_among(step.text, connection)
        got = connection.receive()
        if step.form == "E":
            self.ended.add(step.connection)
            if got is not None:
                raise Failure(f"the connection should have been closed; this came: {clipped(got)}")
        elif got is None:
            raise Failure("the connection was closed")
        elif step.form != (connection.form or ""):
            raise Failure("the transcript expects another framing than it uses")
        else:
            self.compare(step.text, got)

    def expect_among(self, wanted, connection):
        """It comes, before or behind others."""
        came = []

        def is_wanted(text):
            came.append(text)
            before = copy.deepcopy((self.ids, self.comparison))
            try:
                self.compare(wanted, text)
            except Failure:
                (self.ids, self.comparison) = before
                return False
            return True

        if connection.receive(is_wanted) is None:
            raise Failure(f"\n    wanted {clipped(wanted)}\n    got    {clipped(', '.join(came) or 'nothing')}")

    def compare(self, wanted, got):
        if self.arguments.exact:
            if not transcript.is_exactly(wanted, got, self.ids):
                raise Failure(f"\n    wanted {clipped(wanted)}\n    got    {clipped(got)}")
            return
        try:
            value = transcript.parse(got)
        except (ValueError, RecursionError):
            raise Failure(f"this is no JSON: {clipped(got)}") from None
        difference = self.comparison.difference(transcript.parse(wanted), value)
        if difference:
            raise Failure(f"{difference}, in {clipped(got)}")

    def stop(self):
        """A gateway that drains accepts nobody: that is how it shows."""
        os.kill(self.arguments.pid, signal.SIGTERM)
        end = time.monotonic() + self.arguments.seconds
        while time.monotonic() < end:
            try:
                connect(self.arguments.address, self.arguments.seconds).socket.close()
            except OSError:
                return
            time.sleep(0.01)
        raise Failure("it still accepts connections")

    def check_that_nothing_is_left(self):
        self.flush()
        for number, connection in self.connections.items():
            if number in self.ended or connection.has_finished:
                continue
            if not connection.in_order:
                if left := connection.left():
                    raise Failure(f"connection {number}, at the end: this came besides: {clipped(', '.join(left))}")
                continue
            ping = transcript.Step(0, f">>{connection.form or ''} {PING}")
            connection.say(ping)
            connection.flush()
            got = connection.receive()
            if got is None or transcript.parse(got) != transcript.parse(PONG):
                raise Failure(f"connection {number}, at the end: this came instead of a pong: {clipped(got or 'the end')}")
        if self.plays_upstream and not self.upstream_has_ended:
            self.check_that_upstream_hears_no_more()

    def check_that_upstream_hears_no_more(self):
        """A request of an upstream that all clients share is refused: that is what it has to hear next."""
        connection = self.upstream.accept()
        if self.has_own_upstreams:
            return self.check_that_own_upstream_hears_no_more(connection)
        connection.socket.sendall(QUESTION.encode() + b"\n")
        got = connection.receive()
        if got is None or transcript.parse(got).get("id") != "in step?":
            raise Failure(f"upstream, at the end: this came instead of a refusal: {clipped(got or 'the end')}")


    def check_that_own_upstream_hears_no_more(self, upstream):
        """What its client says next it hears next."""
        client = next(iter(self.connections.values()))
        client.say(transcript.Step(0, f">>{client.form or ''} {LAST_WORD}"))
        client.flush()
        got = upstream.receive()
        if got is None or transcript.parse(got) != transcript.parse(LAST_WORD):
            raise Failure(f"upstream, at the end: this came instead of the last word: {clipped(got or 'the end')}")


def address(text):
    """An address as the command line has it."""
    host, colon, port = text.rpartition(":")
    if text.startswith("unix:") or host and colon and port.isdecimal() and int(port) < 65536:
        return text
    raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT or unix:PATH")


def existing(text):
    path = pathlib.Path(text)
    if path.exists():
        return path
    raise argparse.ArgumentTypeError(f"there is no {text}")


def clipped(text):
    return text if len(text) <= 300 else f"{text[:297]}..."


def files(arguments):
    paths = arguments.paths
    if not paths:
        paths = [transcript.TRANSCRIPTS / "required"]
        if arguments.recommended:
            paths.append(transcript.TRANSCRIPTS / "recommended")
    for path in paths:
        yield from sorted(path.rglob("*.txt")) if path.is_dir() else [path]


def has_own_upstreams(path):
    """Whether the configuration beside the transcript gives each client connection upstreams of its own."""
    configuration = path.parent / "lastword.toml"
    return configuration.exists() and "perConnection = true" in configuration.read_text()


def outcome(path, arguments, upstream):
    steps = transcript.read(path)
    if any(isinstance(step, transcript.UpstreamStep) for step in steps) and not upstream:
        return "skipped (it plays upstream: --upstream says where the gateway looks for it)"
    if any(isinstance(step, transcript.Stop) for step in steps) and not arguments.pid:
        return "skipped (it stops the gateway: --pid says which process that is)"
    against = transports.reason_against(arguments.transport, path.stem, steps)
    if against:
        return f"skipped ({against})"
    try:
        Player(arguments, upstream, has_own_upstreams(path)).play(steps)
    except (Failure, OSError) as error:
        return f"FAILED: {error}"
    return "passed"


def main():
    parser = argparse.ArgumentParser(prog="conformance", description=__doc__.partition("\n")[0])
    parser.add_argument("address", type=address, help="HOST:PORT or unix:PATH of the gateway")
    parser.add_argument("paths", nargs="*", type=existing, help="transcripts, or directories of them; by default those that are required")
    parser.add_argument("--recommended", action="store_true", help="also those that are recommended, and the texts of errors count")
    parser.add_argument("--exact", action="store_true", help="every byte counts; wants a gateway that was just started")
    parser.add_argument("--transport", choices=transports.NAMES, default="lines",
                        help="what carries clients: a WebSocket, or a POST for each message (lines)")
    parser.add_argument("--pid", type=int, help="the gateway's process, for transcripts that stop it")
    parser.add_argument("--upstream", type=address, help="HOST:PORT or unix:PATH to listen on, for transcripts that play upstream")
    parser.add_argument("--seconds", type=float, default=20, help="how long an answer may take (20)")
    arguments = parser.parse_intermixed_args()

    upstream = Upstream(arguments.upstream, arguments.seconds) if arguments.upstream else None
    failed = passed = 0
    for path in files(arguments):
        result = outcome(path, arguments, upstream)
        passed += result == "passed"
        failed += result.startswith("FAILED")
        print(f"{path.parent.name}/{path.stem}: {result}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
