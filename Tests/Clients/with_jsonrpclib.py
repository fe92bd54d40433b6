#!/usr/bin/env python3
"""A client with jsonrpclib-pelix: calls look like those of local functions, one at a time.

    python3 with_jsonrpclib.py HOST:PORT

The library speaks HTTP unless it is given another transport, and has no say in a request's envelope:
the key goes into the params of lastword.call.
"""
import concurrent.futures
import json
import socket
import sys

import jsonrpclib
from jsonrpclib.jsonrpc import ProtocolError, TransportMixIn


class LineTransport(TransportMixIn):
    """One JSON text per line over a connection of its own."""

    def __init__(self, host, port):
        super().__init__()
        self.socket = socket.create_connection((host, port))
        self.stream = self.socket.makefile("rwb")

    def request(self, host, handler, request_body, verbose=0):
        self.stream.write(request_body.encode() + b"\n")
        self.stream.flush()
        message = json.loads(request_body)
        calls = message if isinstance(message, list) else [message]
        return self.stream.readline().decode() if any("id" in call for call in calls) else ""

    def close(self):
        self.stream.close()
        self.socket.close()


def show(what, saw):
    print(json.dumps({what: saw}), flush=True)


def outcome(call, *arguments, **named):
    """A result, or the library's own exception with its code."""
    try:
        return call(*arguments, **named)
    except ProtocolError as error:
        return [type(error).__name__, error.args[0][0]]


def main(host, port):
    def connect():
        return jsonrpclib.ServerProxy(f"http://{host}:{port}", transport=LineTransport(host, int(port)))

    server, other = connect(), connect()
    task = {"key": "box", "policy": "cancel"}
    threads = concurrent.futures.ThreadPoolExecutor()

    def start_sleeping():
        """A call that takes a minute, on the other connection, once it is under way."""
        call = threads.submit(
            outcome, other.lastword.call, method="sleep", params={"ms": 60000}, task=task)
        while "running" not in [known["state"] for known in server.lastword.inspect(key="box")["tasks"]]:
            pass
        return call

    show("by position", server.echo("a", 1))
    show("by name", server.echo(a=1))
    show("error", outcome(server.nothing))

    batch = jsonrpclib.MultiCall(server)
    batch.echo("first")
    batch._notify.echo("silent")
    batch.nothing()
    batch.lastword.call(method="echo", params=["last"], task=task)
    results = batch()
    # The library numbers the answers as they come, which is in whatever order they were ready.
    show("batch", sorted((outcome(results.__getitem__, place) for place in range(len(results))), key=str))

    older = start_sleeping()
    show("newest", server.lastword.call(method="echo", params=["newest"], task=task))
    show("superseded by a request", older.result())

    older = start_sleeping()
    server._notify.lastword.call(method="echo", params=["silent"], task=task)
    show("superseded by a notification", older.result())

    older = start_sleeping()
    show("cancelled requests", server.lastword.cancel(key="box"))
    show("cancelled", older.result())

    threads.shutdown()
    server("close")()
    other("close")()


if __name__ == "__main__":
    main(*sys.argv[1].rsplit(":", 1))
