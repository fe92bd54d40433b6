#!/usr/bin/env python3
"""Asks an upstream by HTTP: with libcurl it answers, and without the gateway's log says what is missing.

    python3 Tests/Packages/http_upstream.py answered|refused COMMAND...     the program, or how it is started elsewhere
"""
import http.server
import json
import re
import subprocess
import sys
import threading

MISSING = "this machine has no libcurl"
UNAVAILABLE = 69


class Upstream(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": request["params"]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def ask(command, address):
    """The exit status and what was printed."""
    call = [*command, "call", "echo", '{"q":1}', "--to", address]
    done = subprocess.run(call, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout.strip() + done.stderr.strip()


def main(expected, *command):
    upstream = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    gateway = subprocess.Popen(
        [*command, "serve", "--listen", "127.0.0.1:0", "--log-format", "text", "--log-level", "debug",
         "--upstream", f"http://127.0.0.1:{upstream.server_port}/"],
        stderr=subprocess.PIPE, text=True)
    log = []
    for line in gateway.stderr:
        log.append(line)
        if found := re.search(r"Listening for JSON-RPC on (\S+)", line):
            break
    else:
        sys.exit("error: it did not start: " + "".join(log))
    status, said = ask(command, found[1])
    gateway.terminate()
    log += gateway.stderr.readlines()
    gateway.wait()
    wanted = (0, '{"q": 1}') if expected == "answered" else (UNAVAILABLE, None)
    if status != wanted[0] or wanted[1] not in (None, said) or (expected == "refused") != (MISSING in "".join(log)):
        sys.exit(f"error: status {status}, said {said!r}, log:\n{''.join(log)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
