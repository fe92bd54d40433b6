"""A connection to a handler, or to the gateway before it."""
import json
import pathlib
import select
import socket
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "Clients"))
from typeahead import PATIENCE_SECONDS, expect  # noqa: E402

SHOWN_CHARACTERS = 300


def eventually(holds, what):
    """Asks until it holds; what is asked takes its time."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        expect(time.monotonic() < deadline, f"not within {PATIENCE_SECONDS} s: {what}")


def short(message):
    """As much of it as somebody wants to read."""
    text = str(message)
    return text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…"


class Peer:
    """One connection. An answer that comes twice, or that nobody asked for, is found whenever anything is read."""

    def __init__(self, address):
        kind, _, place = address.partition(":")
        if kind == "unix":
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(PATIENCE_SECONDS)
            self.socket.connect(place)
        else:
            host, port = place.rsplit(":", 1)
            self.socket = socket.create_connection((host, int(port)), timeout=PATIENCE_SECONDS)
        self.lines = self.socket.makefile("rb")
        self.asked, self.open, self.answers = 0, set(), {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lines.close()
        self.socket.close()

    def write(self, data):
        self.socket.sendall(data)

    def can_write(self):
        return bool(select.select([], [self.socket], [], 0)[1])

    def line(self, method, params=None, **members):
        if params is not None:
            members["params"] = params
        return json.dumps({"jsonrpc": "2.0", "method": method, **members}).encode() + b"\n"

    def notify(self, method, params=None):
        self.write(self.line(method, params))

    def prepare(self, method, params=None, identifier=None, **members):
        """A request that is still to be written, and its id."""
        self.asked += 1
        identifier = self.asked if identifier is None else identifier
        self.open.add(json.dumps(identifier))
        return identifier, self.line(method, params, id=identifier, **members)

    def request(self, method, params=None, identifier=None, **members):
        identifier, line = self.prepare(method, params, identifier, **members)
        self.write(line)
        return identifier

    def cancel(self, identifier):
        self.notify("$/cancelRequest", {"id": identifier})

    def read(self):
        """The next message, None behind the last."""
        try:
            line = self.lines.readline()
        except ConnectionResetError:
            return None
        except TimeoutError:
            raise AssertionError(f"no answer within {PATIENCE_SECONDS} s") from None
        if not line:
            return None
        expect(line.endswith(b"\n") and line.count(b"\r") == 0, f"{short(line)} is no whole line")
        message = json.loads(line)
        wrong = set(message) - {"jsonrpc", "id", "result", "error"} or len(message) != 3
        expect(not wrong and message["jsonrpc"] == "2.0" and "id" in message, f"{short(line)} is no answer")
        return message

    def message(self):
        message = self.read()
        expect(message is not None, "the connection ended instead")
        return message

    def error_without_id(self):
        message = self.message()
        expect(message["id"] is None and "error" in message, f"an error was expected, not {short(message)}")
        return message["error"]["code"]

    def answer(self, identifier):
        key = json.dumps(identifier)
        while key not in self.answers:
            message = self.message()
            found = json.dumps(message["id"])
            expect(found in self.open, f"{short(message)} answers what was answered, or never asked")
            self.open.remove(found)
            self.answers[found] = message
        return self.answers.pop(key)

    def result(self, identifier):
        message = self.answer(identifier)
        expect("result" in message, f"a result was expected, not {short(message)}")
        return message["result"]

    def code(self, identifier):
        message = self.answer(identifier)
        error = message.get("error")
        expect(isinstance(error, dict) and type(error.get("code")) is int and isinstance(error.get("message"), str),
               f"an error was expected, not {short(message)}")
        return error["code"]

    def call(self, method, params=None, **members):
        return self.result(self.request(method, params, **members))

    def expect_code(self, identifier, code):
        found = self.code(identifier)
        expect(found == code, f"{identifier!r} was answered with {found}, not {code}")

    def expect_served(self):
        """What comes is an answer to this; nothing else was on its way."""
        expect(self.call("echo", ["still", "there"]) == ["still", "there"], "echo gives back something else")
        expect(not self.answers, f"nobody waited for {short(self.answers)}")

    def stats(self):
        return self.call("stats")

    def expect_stats(self, **members):
        """In the end they are so; `open` counts the asking itself."""
        found = {}

        def holds():
            found.update(self.stats())
            return all(found[name] == value for name, value in members.items())
        try:
            eventually(holds, f"{members}")
        except AssertionError as error:
            raise AssertionError(f"{error}; there was {found}") from None

    def expect_closed(self):
        message = self.read()
        expect(message is None, f"{short(message)} came instead of the end")

    def reset(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.__exit__()
