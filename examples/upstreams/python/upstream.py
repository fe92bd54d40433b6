#!/usr/bin/env python3
"""A JSON-RPC upstream handler that honours cancellation. Standard library only.

    python3 upstream.py [--port PORT] [--unix PATH] [--ignore-cancel]

It prints the address it listens on, and answers
    echo    its params
    sleep   {"ms": N, ...}: its params, N milliseconds later
    fail    {"code": C, "message": M}: that error

`$/cancelRequest` ends a request early; it is then answered with -32800, as language servers do.
"""
import argparse
import asyncio
import json
import sys


class Failure(Exception):
    def __init__(self, code, message):
        self.code, self.message = code, message


async def handle(method, params):
    """The work itself. It may be cancelled at every `await`."""
    if method == "echo":
        return params
    if method == "sleep":
        await asyncio.sleep(params["ms"] / 1000)
        return params
    if method == "fail":
        raise Failure(params["code"], params["message"])
    raise Failure(-32601, "Method not found")


class Conversation(asyncio.Protocol):
    """One connection: a piece of work for each open request."""

    def __init__(self, ignores_cancel):
        self.ignores_cancel = ignores_cancel
        self.buffer = b""
        self.open = {}

    def connection_made(self, transport):
        self.transport = transport

    def connection_lost(self, error):
        for work in self.open.values():
            work.cancel()

    def data_received(self, data):
        *lines, self.buffer = (self.buffer + data).split(b"\n")
        for line in lines:
            if line.strip():
                self.message(json.loads(line))

    def message(self, message):
        if message.get("method") == "$/cancelRequest":
            work = self.open.get(message["params"]["id"])
            if work and not self.ignores_cancel:
                work.cancel()
        elif "id" in message:
            # The work is a task of its own: one that is cancelled before it began never runs, and would never
            # answer, but a cancelled request wants its answer all the same.
            work = asyncio.ensure_future(handle(message["method"], message.get("params")))
            self.open[message["id"]] = work
            asyncio.ensure_future(self.answer(message["id"], work))

    async def answer(self, identifier, work):
        reply = {"jsonrpc": "2.0", "id": identifier}
        try:
            reply["result"] = await work
        except Failure as failure:
            reply["error"] = {"code": failure.code, "message": failure.message}
        except asyncio.CancelledError:
            reply["error"] = {"code": -32800, "message": "Request cancelled"}
        del self.open[identifier]
        if not self.transport.is_closing():
            self.transport.write(json.dumps(reply).encode() + b"\n")


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--unix")
    parser.add_argument("--ignore-cancel", action="store_true")
    arguments = parser.parse_args()

    loop = asyncio.get_running_loop()
    conversation = lambda: Conversation(arguments.ignore_cancel)
    if arguments.unix:
        server = await loop.create_unix_server(conversation, arguments.unix)
        address = f"unix:{arguments.unix}"
    else:
        server = await loop.create_server(conversation, "127.0.0.1", arguments.port)
        address = "tcp:127.0.0.1:%d" % server.sockets[0].getsockname()[1]
    print(address, flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        sys.exit(0)
