#!/usr/bin/env python3
"""Stands between two programs that speak JSON-RPC, and does one thing wrong, once. Standard library only.

    python3 faulty.py FAULT headers | lines LETTERS COMMAND...

A fault in what is typed comes behind so many edits, one in an answer where somebody waits for each of them. Its
command's status is that of this program.
"""
import json
import os
import subprocess
import sys
import threading

from wire import Headers, Lines, encoded, is_answer, is_request

MODIFIED = {"code": -32801, "message": "superseded by a newer request"}


# What the sessions ask at rest only.
AT_REST = ("textDocument/definition", "tools/call")


def changed(value):
    """The same but for one digit."""
    text = json.dumps(value)
    place = next(place for place in range(len(text) - 1, -1, -1) if text[place].isdigit())
    return json.loads(text[:place] + str((int(text[place]) + 1) % 10) + text[place + 1:])


def has_digit(value):
    return any(letter.isdigit() for letter in json.dumps(value))


def is_notification(message):
    return not is_answer(message) and not is_request(message)


class Fault:
    """Gives what is passed on in the place of a message."""

    def __init__(self, letters):
        self.letters, self.kept, self.has_struck = letters, None, False
        self.at_rest = set()

    def to_server(self, message):
        return [message]

    def to_client(self, message):
        return [message]

    def pass_on(self, message, to_server):
        if to_server and message.get("method") == "textDocument/didChange":
            self.letters -= 1
        if message.get("method") in AT_REST and "id" in message:
            self.at_rest.add(message["id"])
        return self.to_server(message) if to_server else self.to_client(message)

    def strikes(self, meets):
        """True for the first that meets it, when all those letters are typed."""
        if self.has_struck or self.letters > 0 or not meets:
            return False
        self.has_struck = True
        return True


    def strikes_answer(self, message):
        return self.strikes(is_answer(message) and message["id"] in self.at_rest and has_digit(message.get("result")))


class RequestBehindEdit(Fault):
    """A request goes behind the edit that follows it."""

    def to_server(self, message):
        if self.strikes(message.get("method") == "textDocument/completion"):
            self.kept = message
            return []
        if self.kept and message.get("method") == "textDocument/didChange":
            kept, self.kept = self.kept, None
            return [message, kept]
        return [message]


class NotificationLost(Fault):
    def to_server(self, message):
        return [] if self.strikes(message.get("method") == "textDocument/didChange") else [message]


class NotificationTwice(Fault):
    def to_server(self, message):
        return [message] * (1 + self.strikes(message.get("method") == "textDocument/didChange"))


class QuestionChanged(Fault):
    def to_server(self, message):
        if self.strikes(is_request(message) and has_digit(message.get("params"))):
            message["params"] = changed(message["params"])
        return [message]


class WantedCancelled(Fault):
    def to_server(self, message):
        if self.strikes(message.get("method") == "textDocument/documentSymbol"):
            return [message, {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": message["id"]}}]
        return [message]


class ReplyLost(Fault):
    """The server does not hear what the client answers to it."""

    def to_server(self, message):
        return [] if self.strikes(is_answer(message)) else [message]


class AnswerLost(Fault):
    def to_client(self, message):
        return [] if self.strikes_answer(message) else [message]


class AnswerTwice(Fault):
    def to_client(self, message):
        return [message] * (1 + self.strikes_answer(message))


class AnswerChanged(Fault):
    def to_client(self, message):
        if self.strikes_answer(message):
            message["result"] = changed(message["result"])
        return [message]


class RefusedWithoutReason(Fault):
    def to_client(self, message):
        if self.strikes_answer(message):
            return [{"jsonrpc": "2.0", "id": message["id"], "error": MODIFIED}]
        return [message]


class NoteLost(Fault):
    """The client does not hear what the server says unasked."""

    def to_client(self, message):
        return [] if self.strikes(is_notification(message)) else [message]


class NoteDelayed(Fault):
    def to_client(self, message):
        if self.strikes(is_notification(message)):
            self.kept = message
            return []
        if self.kept and is_answer(message):
            kept, self.kept = self.kept, None
            return [message, kept]
        return [message]


class AnotherStatus(Fault):
    status = 3


class Talk(Fault):
    """Something of its own on standard error."""

    def __init__(self, letters):
        super().__init__(letters)
        print("warning", file=sys.stderr, flush=True)


def carry(wire, fault, source, sink, to_server):
    with sink:
        for body in wire.bodies(source):
            for message in fault.pass_on(json.loads(body), to_server):
                sink.write(wire.framed(encoded(message)))
            sink.flush()


def main(name, framing, letters, *command):
    wire = {"headers": Headers, "lines": Lines}[framing]
    fault = globals()[name](int(letters))
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    threading.Thread(target=carry, args=(wire, fault, sys.stdin.buffer, program.stdin, True), daemon=True).start()
    carry(wire, fault, program.stdout, sys.stdout.buffer, False)
    os._exit(getattr(fault, "status", program.wait()))


if __name__ == "__main__":
    main(*sys.argv[1:])
