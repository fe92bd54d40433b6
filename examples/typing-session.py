#!/usr/bin/env python3
"""Plays the same typing session against a language server, directly and through lastword. Standard library only.

    python3 typing-session.py [--server pylsp | sourcekit-lsp] [--rounds N] [--lines N] [--policy POLICY]

An editor asks for completions behind each letter and shows whatever answer comes. Its user types as people do, and
now and then stops until the name that is meant is offered. Each round is played with the same letters at the same
rhythm in three ways, each with a server of its own:

    direct       the editor talks to the server
    cancelling   so it does, and with each letter it cancels its older request, as careful editors do
    lastword     the editor is as in direct; its command is: lastword wrap -- SERVER

The programs are looked for on PATH; --lastword says where that one is.
"""
import argparse
import json
import os
import queue
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time

COMPLETION = "textDocument/completion"
PATIENCE_SECONDS = 60
# Between two letters: the median, how much that varies, and the bounds of it.
LETTER_SECONDS, LETTER_SPREAD, LETTER_BOUNDS = 0.11, 0.45, (0.03, 0.5)

PYTHON = """\
import argparse
import asyncio
import collections
import http.client
import logging
import subprocess
import xml.etree.ElementTree as tree


class Fetcher:
    def __init__(self, host):
        self.log = logging.getLogger(host)
        self.connection = http.client.HTTPSConnection(host)
        self.seen = collections.OrderedDict()
        self.parser = argparse.ArgumentParser()
        self.document = tree.parse("feed.xml")

    def fetch(self, path):
"""
SWIFT = """\
import Foundation

final class Fetcher {
  let directory: URL
  var seen: [String: [Date]] = [:]

  init(directory: URL) { self.directory = directory }

  func fetch(_ path: String) throws {
"""

# The server's command, the document, and the lines that are typed at its end. Behind each piece of a line the user
# stops until this name is offered.
SESSIONS = {
    "pylsp": (["pylsp"], "python", "fetcher.py", PYTHON, " " * 8, [
        [("self.connection.", "request"), ("getresponse().hea", "headers")],
        [("asyncio.get_runn", "get_running_loop"), ("ing_loop().run_in", "run_in_executor")],
        [("self.log.", "warning"), ("getChild(path).pare", "parent")],
        [("self.document.getroot().it", "iter"), ("erfind('a').__ne", "__next__")],
        [("self.parser.add_argument_group(path).add_arg", "add_argument")],
        [("subprocess.run(['a']).std", "stdout")],
    ]),
    "sourcekit-lsp": (["sourcekit-lsp"], "swift", "Fetcher.swift", SWIFT, " " * 4, [
        [("directory.appending", "appendingPathComponent"), ("PathComponent(path).la", "lastPathComponent")],
        [("seen.filter { $0.value.isEm", "isEmpty"), ("pty }.ke", "keys")],
        [("FileManager.default.create", "createDirectory"), ("File(atPath: path).des", "description")],
        [("try String(contentsOfFile: path).trimm", "trimmingCharacters")],
    ]),
}


# MARK: What goes over the wire


def framed(message):
    body = json.dumps(message, separators=(",", ":")).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def messages(stream):
    """Those that come, until the stream ends."""
    while True:
        length = 0
        while (line := stream.readline()).strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not line:
            return
        yield json.loads(stream.read(length))


def record(path, command):
    """Runs a server, passes everything on, and notes the completions that it is asked and that it computes."""
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    asked = set()
    with open(path, "a", buffering=1) as notes:

        def inwards():
            for message in messages(sys.stdin.buffer):
                if message.get("method") == COMPLETION:
                    asked.add(message["id"])
                    notes.write("asked\n")
                server.stdin.write(framed(message))
                server.stdin.flush()
            server.stdin.close()

        threading.Thread(target=inwards, daemon=True).start()
        for message in messages(server.stdout):
            if "method" not in message and message["id"] in asked and "result" in message:
                notes.write("computed\n")
            sys.stdout.buffer.write(framed(message))
            sys.stdout.buffer.flush()
        return server.wait()


class Link:
    """The editor's end of a conversation: what comes waits in `inbox`, with the time when it came."""

    def __init__(self, reader, writer):
        self.writer, self.inbox = writer, queue.Queue()
        self.listener = threading.Thread(target=self.listen, args=(reader,), daemon=True)
        self.listener.start()

    def listen(self, reader):
        for message in messages(reader):
            self.inbox.put((time.monotonic(), message))

    def end(self):
        """Says no more, and hears what is still said."""
        self.writer.close()
        self.listener.join(PATIENCE_SECONDS)

    def send(self, *texts):
        self.writer.write(b"".join(framed({"jsonrpc": "2.0", **text}) for text in texts))
        self.writer.flush()


# MARK: The editor


class Editor:
    """Keeps the document, asks behind each letter, and counts what it shows."""

    def __init__(self, link, directory, session, cancels):
        self.link, self.cancels = link, cancels
        _, self.language, name, self.text = session[:4]
        self.directory, self.uri = "file://" + directory, f"file://{directory}/{name}"
        self.version = self.last_id = self.newest = 0
        self.asked = self.stale = 0
        self.answered = {}

    def hear(self, until):
        """Takes what comes until then; false when nothing came."""
        try:
            at, message = self.link.inbox.get(timeout=max(0, until - time.monotonic()))
        except queue.Empty:
            return False
        if "method" not in message:
            self.answered[message["id"]] = (at, message)
            # It shows whatever comes, though other letters stand there by now.
            self.stale += "result" in message and 0 < message["id"] < self.newest
        elif "id" in message:
            self.link.send({"id": message["id"], "result": None})
        return True

    def answer(self, request):
        end = time.monotonic() + PATIENCE_SECONDS
        while request not in self.answered:
            if not self.hear(end):
                raise SystemExit(f"no answer within {PATIENCE_SECONDS} s")
        return self.answered[request]

    def ask(self, method, params, *before):
        self.last_id += 1
        self.link.send(*before, {"id": self.last_id, "method": method, "params": params})
        return self.last_id

    def begin(self):
        self.answer(self.ask("initialize", {"processId": None, "rootUri": self.directory, "capabilities": {}}))
        document = {"uri": self.uri, "languageId": self.language, "version": 0, "text": self.text}
        self.link.send(
            {"method": "initialized", "params": {}},
            {"method": "textDocument/didOpen", "params": {"textDocument": document}})

    def complete(self, line):
        """The letter that ends this line has been typed."""
        self.version += 1
        change = {
            "textDocument": {"uri": self.uri, "version": self.version},
            "contentChanges": [{"text": self.text + line + "\n"}]}
        before = [{"method": "textDocument/didChange", "params": change}]
        if self.cancels and self.newest and self.newest not in self.answered:
            before.append({"method": "$/cancelRequest", "params": {"id": self.newest}})
        position = {"line": self.text.count("\n"), "character": len(line)}
        self.newest = self.ask(COMPLETION, {"textDocument": {"uri": self.uri}, "position": position}, *before)
        self.asked += 1

    def offered(self):
        """What the newest answer offers, and when it came; asks for nothing."""
        at, message = self.answer(self.newest)
        result = message.get("result") or []
        items = result["items"] if isinstance(result, dict) else result
        return at, [item["label"] for item in items]


def play(editor, indentation, lines, rhythm):
    """Types; gives how long the user waited for the right answer, each time."""
    waits = []
    for pieces in lines:
        line = indentation
        for piece, name in pieces:
            for letter in piece:
                line += letter
                typed = time.monotonic()
                editor.complete(line)
                next_letter = typed + rhythm()
                while editor.hear(next_letter):
                    pass
            at, labels = editor.offered()
            if not any(label.startswith(name) for label in labels):
                raise SystemExit(f"{name} is not offered behind {line!r}, but {labels[:5]}")
            waits.append(at - typed)
        editor.text += line + "\n"
    return waits


# MARK: The three ways


class Direct:
    """The server, as an editor starts it."""

    cancels = False

    def command(self, server, directory, options):
        return server


class Cancelling(Direct):
    cancels = True


class Lastword(Direct):
    def command(self, server, directory, options):
        wrap = [options.lastword, "wrap"]
        if options.policy:
            configuration = directory + "/lastword.toml"
            route = {"method": COMPLETION, "key": "/textDocument/uri", "policy": options.policy}
            with open(configuration, "w") as file:
                file.write("[[route]]\n" + "".join(f'{name} = "{value}"\n' for name, value in route.items()))
            wrap += ["--config", configuration]
        return [*wrap, "--", *server]


def run(way, seed, session, options):
    with tempfile.TemporaryDirectory() as directory:
        notes = directory + "/notes"
        server = [sys.executable, os.path.abspath(__file__), "--record", notes, *session[0]]
        command = way.command(server, directory, options)
        chance = random.Random(seed)

        def rhythm():
            least, most = LETTER_BOUNDS
            return min(most, max(least, LETTER_SECONDS * chance.lognormvariate(0, LETTER_SPREAD)))

        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
            link = Link(program.stdout, program.stdin)
            editor = Editor(link, directory, session, way.cancels)
            editor.begin()
            waits = play(editor, session[4], session[5][:options.lines], rhythm)
            link.end()
        with open(notes) as file:
            noted = file.read().split()
        return editor.asked, noted.count("asked"), noted.count("computed"), editor.stale, waits


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", choices=SESSIONS, default="pylsp")
    parser.add_argument("--lastword", default="lastword", help="the program, if it is not on PATH")
    parser.add_argument("--policy", help="of lastword, instead of what it does by itself")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--lines", type=int, help="so many are typed in each round, instead of all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.record:
        return record(options.record[0], options.record[1:])
    ways = [Direct(), Cancelling(), Lastword()]
    outcomes = {way: [] for way in ways}
    for number in range(options.rounds):
        for way in ways:
            outcomes[way].append(run(way, options.seed + number, SESSIONS[options.server], options))
    print(f"| {options.server} | letters | sent to it | computed | stale shown | median wait | 90 % | longest |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for way in ways:
        counts = [sum(counts) for counts in list(zip(*outcomes[way]))[:4]]
        waits = sorted(wait for outcome in outcomes[way] for wait in outcome[4])
        times = statistics.median(waits), waits[len(waits) * 9 // 10], waits[-1]
        cells = [type(way).__name__.lower(), *counts, *(f"{seconds * 1000:.0f} ms" for seconds in times)]
        print("| " + " | ".join(map(str, cells)) + " |")


if __name__ == "__main__":
    sys.exit(main())
