#!/usr/bin/env python3
"""Plays one session of an editor with a language server for Python, through a command that speaks for it.

    python3 Tests/Packages/session.py COMMAND...
"""
import json
import subprocess
import sys

TEXT = "import json\njson.dum\n"
DOCUMENT = {"uri": "file:///nowhere/session.py"}


class Session:
    def __init__(self, command):
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last = 0

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.server.stdin.flush()

    def receive(self):
        length = 0
        while line := self.server.stdout.readline().strip():
            name, value = line.split(b":", 1)
            if name.lower() == b"content-length":
                length = int(value)
        if length == 0:
            sys.exit("error: the server ended in the middle of the session")
        return json.loads(self.server.stdout.read(length))

    def ask(self, method, params):
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params})
        while (message := self.receive()).get("id") != self.last or "method" in message:
            pass
        if "error" in message:
            sys.exit(f"error: {method}: {message['error']}")
        return message["result"]


def main(command):
    session = Session(command)
    session.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    session.send({"method": "initialized", "params": {}})
    session.send({"method": "textDocument/didOpen", "params": {"textDocument": {
        **DOCUMENT, "languageId": "python", "version": 1, "text": TEXT}}})
    found = session.ask("textDocument/completion", {"textDocument": DOCUMENT, "position": {"line": 1, "character": 8}})
    items = found["items"] if isinstance(found, dict) else found
    labels = [item["label"] for item in items]
    if not any(label.startswith("dumps") for label in labels):
        sys.exit(f"error: no 'dumps' in {labels}")
    session.ask("shutdown", None)
    session.send({"method": "exit"})
    if status := session.server.wait():
        sys.exit(f"error: it ended with status {status}")
    print(f"detail: {len(labels)} completions")


if __name__ == "__main__":
    main(sys.argv[1:])
