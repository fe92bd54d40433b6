#!/usr/bin/env python3
"""A JSON-RPC server on standard input and output. Standard library only.

    python3 child.py [--lines]     messages are framed by Content-Length, or stand on a line each

    echo    its params
    hang    nothing, until $/cancelRequest or notifications/cancelled names it; then -32800
    ask     what the client answers to the request `question` with the same params
    heard   the methods of all messages so far
    exit    ends, if it comes as a notification
"""
import json
import sys

LINES = "--lines" in sys.argv
stdin, stdout = sys.stdin.buffer, sys.stdout.buffer


def receive():
    if LINES:
        line = stdin.readline()
        return json.loads(line) if line else None
    length = None
    while (line := stdin.readline()).strip():
        name, value = line.split(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return json.loads(stdin.read(length)) if length is not None else None


def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    stdout.write(body + b"\n" if LINES else b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    stdout.flush()


def main():
    heard, waiting = [], {}
    while message := receive():
        method, number, params = message.get("method"), message.get("id"), message.get("params")
        heard.append(method or "answer")
        if method is None:
            send({"id": waiting.pop(number), "result": message["result"]})
        elif method in ("$/cancelRequest", "notifications/cancelled"):
            cancelled = params.get("id", params.get("requestId"))
            send({"id": cancelled, "error": {"code": -32800, "message": "cancelled"}})
        elif method == "exit":
            return
        elif method == "ask":
            waiting[f"question {number}"] = number
            send({"id": f"question {number}", "method": "question", "params": params})
        elif method == "heard":
            send({"id": number, "result": heard})
        elif method == "echo":
            send({"id": number, "result": params})


main()
