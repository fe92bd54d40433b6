#!/usr/bin/env python3
"""Somebody changes the prompt twice while a model writes. Needs Python alone.

    python3 prompts.py HOST:PORT

The screen shows whatever pieces come, as a program does that knows nothing of requests that were overtaken.
"""
import json
import socket
import sys
import time

PROMPTS = ["Tell a story about a cat.", "Tell a story about a cat and a dog.", "Tell a story about a horse."]
READ_PIECES, WATCHDOG_SECONDS = 24, 300


class Model:
    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)))
        self.unread = b""

    def ask(self, method, request, params, **task):
        message = {"jsonrpc": "2.0", "id": request, "method": method, "params": params} | task
        self.socket.sendall(json.dumps(message).encode() + b"\n")

    def listen(self, until):
        """The next message, if one comes before then."""
        while b"\n" not in self.unread:
            self.socket.settimeout(max(until - time.monotonic(), 0.001))
            try:
                self.unread += self.socket.recv(65536)
            except TimeoutError:
                return None
        line, self.unread = self.unread.split(b"\n", 1)
        return json.loads(line)


def main(address):
    model, other = Model(address), Model(address)
    other.ask("tokens", 1, {})
    before = other.listen(time.monotonic() + 60)["result"]
    stale, ended = 0, set()
    for request, prompt in enumerate(PROMPTS, 1):
        model.ask("write", request, {"prompt": prompt, "document": "letter"}, task={"stream": True})
        shown, read = "", 0
        is_last = request == len(PROMPTS)
        until = time.monotonic() + WATCHDOG_SECONDS
        # The prompt is changed once its first words are read; the last text is read to its end.
        while len(ended) < request if is_last else read < READ_PIECES:
            message = model.listen(until)
            if message is None:
                sys.exit(f"nothing more comes within {WATCHDOG_SECONDS} s")
            if "id" in message:
                ended.add(message["id"])
            else:
                shown += message["params"]["value"]
                is_stale = message["params"]["id"] < request
                read, stale = read + (not is_stale), stale + is_stale
    other.ask("tokens", 2, {})
    computed = other.listen(time.monotonic() + 60)["result"] - before
    print(shown)
    print(f"stale pieces on the screen: {stale}; tokens computed: {computed}")


if __name__ == "__main__":
    main(*sys.argv[1:])
