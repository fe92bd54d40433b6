"""A client's end of a conversation with a program that it has started."""
import collections
import contextlib
import json
import os
import pathlib
import queue
import signal
import subprocess
import sys
import threading
import time

from wire import encoded, is_answer, is_request

PATIENCE_SECONDS = 120
SHOWN_LETTERS = 300
RECORDER = pathlib.Path(__file__).with_name("recorder.py")
SENT, HEARD = "sent", "heard"


class Trouble(AssertionError):
    """What does not hold of a conversation."""


def brief(message):
    """So much of it as one reads."""
    text = json.dumps(message)
    return text if len(text) <= SHOWN_LETTERS else text[:SHOWN_LETTERS] + "…"


def expect(condition, what):
    if not condition:
        raise Trouble(what)


class Link:
    """Sends and hears messages; `log` has them all in the order in which this side sent and heard them."""

    def __init__(self, gateway, server, wire, directory, answer, patience_seconds=PATIENCE_SECONDS, **others):
        self.wire, self.directory, self.answer_to = wire, directory, answer
        self.patience_seconds = patience_seconds
        words = [*gateway, sys.executable, "-B", str(RECORDER), str(directory), *server]
        with open(directory / "errors", "wb") as errors:
            self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
                                            start_new_session=True, **others)
        self.log, self.answers = [], collections.defaultdict(list)
        self.last_id = 0
        self.changed, self.outgoing = threading.Condition(), queue.SimpleQueue()
        self.has_ended, self.fault = False, None
        self.threads = [threading.Thread(target=target, daemon=True) for target in (self.write, self.read)]
        for thread in self.threads:
            thread.start()

    # MARK: Threads of its own, so that neither side ever waits for the other to read

    def write(self):
        with contextlib.suppress(BrokenPipeError), self.process.stdin as sink:
            while (chunk := self.outgoing.get()) is not None:
                sink.write(chunk)
                sink.flush()

    def read(self):
        try:
            for body in self.wire.bodies(self.process.stdout):
                self.hear(json.loads(body))
        except ValueError as error:
            self.fault = f"what was heard is no message: {error}"
        with self.changed:
            self.has_ended = True
            self.changed.notify_all()

    def hear(self, message):
        with self.changed:
            self.log.append((HEARD, message))
            if is_answer(message):
                self.answers[message.get("id")].append(message)
            elif is_request(message):
                self.send({"id": message["id"], "result": self.answer_to(message)})
            self.changed.notify_all()

    # MARK: For the session

    def send(self, *messages):
        """All of them in one write."""
        with self.changed:
            messages = [{"jsonrpc": "2.0", **message} for message in messages]
            self.log += [(SENT, message) for message in messages]
            self.outgoing.put(b"".join(self.wire.framed(encoded(message)) for message in messages))

    def request(self, method, params):
        """A request with an id of its own, to be sent."""
        self.last_id += 1
        return {"id": self.last_id, "method": method, **({} if params is None else {"params": params})}

    def wait(self, condition, what):
        """Until it holds; `what` says for what one waits in vain."""
        with self.changed:
            holds = self.changed.wait_for(lambda: condition() or self.has_ended, self.patience_seconds)
            expect(condition(), self.fault or f"no {what}: "
                   + ("the other side has ended" if holds else f"not within {self.patience_seconds} s"))

    def pause(self, seconds):
        """Lets that much time pass, as somebody does who types."""
        time.sleep(seconds)

    def answer(self, request):
        number = request["id"]
        self.wait(lambda: self.answers[number], f"answer to request {number}, {request['method']}")
        return self.answers[number][0]

    def ask(self, method, params):
        request = self.request(method, params)
        self.send(request)
        return self.answer(request)

    def heard(self, method):
        return [message for way, message in self.log if way == HEARD and message.get("method") == method]

    def finish(self):
        """Says no more; gives the status with which the other side ends."""
        self.outgoing.put(None)
        try:
            status = self.process.wait(self.patience_seconds)
        except subprocess.TimeoutExpired:
            raise Trouble(f"no end within {self.patience_seconds} s of the end of input") from None
        self.wait(lambda: self.has_ended, "end of output")
        expect(self.fault is None, self.fault)
        return status if status >= 0 else 128 - status

    def close(self):
        """Ends what is left, by the ids of those processes."""
        self.outgoing.put(None)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        with contextlib.suppress(OSError, ValueError):
            server = int((self.directory / "pid").read_text())
            if is_one_of_ours(server, self.directory):
                os.kill(server, signal.SIGKILL)
        for thread in self.threads:
            thread.join(PATIENCE_SECONDS)
        self.process.stdout.close()


def is_one_of_ours(process, directory):
    """The id may be another's by now; the server is known by its working directory."""
    try:
        return pathlib.Path(f"/proc/{process}/cwd").resolve() == directory.parent / "work"
    except OSError:
        return False
