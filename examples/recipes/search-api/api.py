#!/usr/bin/env python3
"""A search API over HTTP that stops searching when its caller goes away. Standard library only.

    python3 api.py HOST:PORT [PATH...]

It puts the lines of the text files beneath the paths, or else of Python's own library, into an index of SQLite,
prints where it listens, and answers JSON-RPC by POST:
    search    {"q": "async wi"}: the ten best lines that have these words, the last one as a beginning
    count     how many searches began, and how they ended

Whoever closes the connection does not want the answer any more: the query is interrupted where it is.
"""
import collections
import http.server
import json
import os
import pathlib
import select
import socket
import sqlite3
import sys
import sysconfig
import tempfile
import threading

SUFFIXES = {".c", ".h", ".md", ".py", ".rst", ".swift", ".txt"}
FILE_LIMIT_BYTES, LINES_LIMIT, REQUEST_LIMIT_BYTES = 1 << 20, 400_000, 1 << 20
# After so many steps of SQLite's virtual machine it is looked whether the caller is still there: well below 1 ms.
STEPS_BETWEEN_LOOKS = 1000
BEST = "SELECT place, text FROM lines WHERE lines MATCH ? ORDER BY rank LIMIT 10"


class Failure(Exception):
    def __init__(self, code, message):
        self.code, self.message = code, message


class CallerGone(Exception):
    """Nobody waits for the answer any more."""


def lines(paths):
    """Those of all text files, with the places where they stand."""
    for path in paths:
        for directory, folders, names in os.walk(path):
            folders.sort()
            for name in sorted(names):
                file = pathlib.Path(directory, name)
                if file.suffix in SUFFIXES and file.is_file() and file.stat().st_size <= FILE_LIMIT_BYTES:
                    for number, text in enumerate(file.read_text(errors="replace").splitlines(), 1):
                        if text.strip():
                            yield f"{name}:{number}", text.strip()


def make_index(path, paths):
    with sqlite3.connect(path) as index:
        index.execute("CREATE VIRTUAL TABLE lines USING fts5(place UNINDEXED, text)")
        found = (line for line, _ in zip(lines(paths), range(LINES_LIMIT)))
        count = index.executemany("INSERT INTO lines VALUES (?, ?)", found).rowcount
    index.close()
    return count


class Caller(http.server.BaseHTTPRequestHandler):
    """One connection, in a thread of its own."""

    protocol_version = "HTTP/1.1"
    # Head and body are two writes: the second would wait until the other end has acknowledged the first.
    disable_nagle_algorithm = True

    def setup(self):
        super().setup()
        self.index = sqlite3.connect(self.server.index)
        self.index.set_progress_handler(self.is_gone, STEPS_BETWEEN_LOOKS)
        # Unlike select, it takes any descriptor.
        self.poll = select.poll()
        self.poll.register(self.connection, select.POLLIN)

    def finish(self):
        self.index.close()
        super().finish()

    def is_gone(self):
        """Whether the other end has closed the connection; SQLite gives a query up that is answered true."""
        try:
            return bool(self.poll.poll(0)) and self.connection.recv(1, socket.MSG_PEEK) == b""
        except OSError:
            return True

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            return self.send_error(411)
        if int(length) > REQUEST_LIMIT_BYTES:
            return self.send_error(413)
        try:
            reply = {"jsonrpc": "2.0", "id": None}
            reply |= self.outcome(self.rfile.read(int(length)), reply)
            self.send(json.dumps(reply).encode())
        except (CallerGone, ConnectionError):
            self.close_connection = True

    def outcome(self, body, reply):
        try:
            request = json.loads(body)
            if not isinstance(request, dict) or not isinstance(request.get("method"), str):
                raise Failure(-32600, "Invalid request")
            reply["id"] = request.get("id")
            return {"result": self.answer(request["method"], request.get("params"))}
        except ValueError:
            return {"error": {"code": -32700, "message": "Parse error"}}
        except Failure as failure:
            return {"error": {"code": failure.code, "message": failure.message}}
        except sqlite3.Error as error:
            return {"error": {"code": -32603, "message": str(error)}}

    def send(self, body):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def answer(self, method, params):
        if method == "search":
            if not isinstance(params, dict) or not isinstance(params.get("q"), str):
                raise Failure(-32602, 'search wants {"q": TEXT}')
            return self.search(params["q"])
        if method == "count":
            return self.server.counts
        raise Failure(-32601, "Method not found")

    def search(self, text):
        words = text.split()
        if not words:
            return []
        self.server.count("begun")
        query = " ".join('"' + word.replace('"', '""') + '"' for word in words) + "*"
        try:
            best = self.index.execute(BEST, (query,)).fetchall()
        except sqlite3.OperationalError:
            if not self.is_gone():
                raise
            self.server.count("interrupted")
            raise CallerGone from None
        self.server.count("finished")
        return [{"place": place, "text": text} for place, text in best]

    def log_message(self, *_):
        """Not each request."""


class API(http.server.ThreadingHTTPServer):
    """The callers share an index, and counts of what became of their searches."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address, index):
        super().__init__(address, Caller)
        self.index, self.lock = index, threading.Lock()
        self.counts = collections.Counter(begun=0, finished=0, interrupted=0)

    def count(self, what):
        with self.lock:
            self.counts[what] += 1


def main(address, *paths):
    host, port = address.rsplit(":", 1)
    with tempfile.TemporaryDirectory() as directory:
        index = os.path.join(directory, "index")
        count = make_index(index, paths or [sysconfig.get_path("stdlib")])
        with API((host, int(port)), index) as api:
            print(f"{count} lines to search on http://{host}:{api.server_port}/", flush=True)
            try:
                api.serve_forever()
            except KeyboardInterrupt:
                pass


if __name__ == "__main__":
    main(*sys.argv[1:])
