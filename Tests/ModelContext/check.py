#!/usr/bin/env python3
"""Plays the same sessions with servers of the Model Context Protocol directly and through lastword. Started by scripts/mcp.

    python3 check.py PYTHON

PYTHON has both SDKs, LASTWORD_BINARY names the gateway. The last line says what was compared, and how many faults found.
"""
import concurrent.futures
import contextlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).parent
PATIENCE_SECONDS = 120
AT_ONCE = 3
SERVERS = [("mcp",), ("mcp", "json"), ("mcp", "stateless"), ("mcp", "resumable"), ("fastmcp",)]
CLIENTS = [("mcp", "auto"), ("mcp", "legacy"), ("fastmcp", "auto"), ("fastmcp", "legacy")]
SUPERSEDED = ["a: superseded", "as: superseded", "asy: asy", "counts: {'begun': 3, 'finished': 1, 'cancelled': 2}"]
CONFIGURATION = '''[[listen]]
address = "127.0.0.1:0"
mcpPath = "/mcp"

[[upstream]]
name = "tools"
address = "mcp+http://127.0.0.1:{port}/mcp"

[[route]]
method = "tools/call"
key = "/_meta/example.com~1box"
policy = "cancel"
'''


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


class Started(contextlib.ExitStack):
    """Programs that end with it."""

    def start(self, words, pattern, **others):
        """What the first line says that has the pattern."""
        program = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, **others)
        self.callback(program.wait, PATIENCE_SECONDS)
        self.callback(program.kill)
        said = []
        for line in program.stdout:
            said.append(line)
            if found := re.search(pattern, line):
                # What it says afterwards must not hold it up.
                threading.Thread(target=program.stdout.read, daemon=True).start()
                return found[1]
        raise AssertionError(f"{words} said {''.join(said)!r}")

    def server(self, python, *kind):
        return self.start([python, "-B", str(HERE / "server.py"), *kind], r"^(\d+)$")

    def gateway(self, port, configuration=CONFIGURATION):
        directory = self.enter_context(tempfile.TemporaryDirectory())
        path = pathlib.Path(directory) / "lastword.toml"
        path.write_text(configuration.format(port=port))
        words = [os.environ["LASTWORD_BINARY"], "serve", "--config", str(path), "--log-format", "text"]
        return self.start(words, r"Listening for JSON-RPC on 127\.0\.0\.1:(\d+)")


def play(python, port, client, mode, *scenes):
    """What one client learned, in no order."""
    words = [python, "-B", str(HERE / "play.py"), f"http://127.0.0.1:{port}/mcp", client, mode, *scenes]
    played = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    expect(played.returncode == 0, f"{client} {mode}: {played.stdout}{played.stderr[-2000:]}")
    return sorted(played.stdout.splitlines())


SEVERAL_LOOPS = "loops = 2\n" + CONFIGURATION


def compare(python, port, through, kind, client, mode):
    scenes = ["usual", "many"]
    # The others do not hear that a call is given up.
    if not {"json", "stateless"} & set(kind):
        scenes.append("cancelled")
    # Only sessions know streams that are gone on with.
    if "resumable" in kind and mode == "legacy":
        scenes.append("broken")
    direct = play(python, port, client, mode, *scenes)
    said = play(python, through, client, mode, *scenes)
    what = f"{' '.join(kind)}, {client} {mode}"
    expect(said == direct, f"{what}:\ndirectly: {direct}\nthrough:  {said}")
    print(f"the same: {what}: {len(said)} lines", flush=True)
    return len(said)


def check_superseded(python, port, through, kind, client, mode):
    said = play(python, through, client, mode, "superseded")
    expect(said == SUPERSEDED, f"{' '.join(kind)}, {client} {mode}: {said}")
    print(f"superseded: {' '.join(kind)}, {client} {mode}", flush=True)


def check(python, kind, clients, configuration=CONFIGURATION):
    with Started() as started:
        port = started.server(python, *kind)
        through = started.gateway(port, configuration)
        compared = sum(compare(python, port, through, kind, *client) for client in clients)
        for client in clients if not {"json", "stateless"} & set(kind) else []:
            check_superseded(python, port, through, kind, *client)
    return compared


FAULTS = [
    ("every call is answered", ('policy = "cancel"', 'policy = "concurrent"'), ("mcp", "auto")),
    ("a session is not kept", ("mcp+http", "http"), ("mcp", "legacy")),
    ("the tool's name is the key", ("/_meta/example.com~1box", "/name"), ("mcp", "legacy")),
]


def find(python, what, replacement, client):
    try:
        check(python, ("mcp",), [client], CONFIGURATION.replace(*replacement))
    except (AssertionError, subprocess.TimeoutExpired):
        print(f"-- found: {what}", flush=True)
    else:
        raise AssertionError(f"it was not found that {what}")


def main(python):
    # Each has programs of its own, and most of its time it waits.
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        compared = [pool.submit(check, python, kind, CLIENTS if len(kind) == 1 else CLIENTS[:2]) for kind in SERVERS]
        # Sessions are at one loop.
        some = [("mcp", "auto"), ("fastmcp", "2026-07-28")]
        compared.append(pool.submit(check, python, ("fastmcp",), some, SEVERAL_LOOPS))
        found = [pool.submit(find, python, *fault) for fault in FAULTS]
    for one in found:
        one.result()
    lines = sum(one.result() for one in compared)
    print(f"detail: {lines} lines equal, {len(found)} deliberate faults found")


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except AssertionError as error:
        sys.exit(f"error: {error}")
