#!/usr/bin/env python3
"""A client with pygls: Content-Length framing, as editors and language servers speak it.

    python3 with_pygls.py HOST:PORT

The listener has errorProfile = "lsp", the route key = "/textDocument/uri".
"""
import asyncio
import json
import sys

from lsprotocol.types import CancelParams
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient


def show(what, saw):
    print(json.dumps({what: saw}), flush=True)


async def outcome(request):
    """A result, or the library's own exception with its code."""
    try:
        return await request
    except JsonRpcException as error:
        return [type(error).__name__, error.code]


def about(uri, milliseconds):
    return {"textDocument": {"uri": uri}, "ms": milliseconds}


async def main(host, port):
    client = LanguageClient("example", "1")
    await client.start_tcp(host, int(port))
    send, notify = client.protocol.send_request_async, client.protocol.notify

    # The library makes objects of what it gets.
    reply = await send("echo", {"position": [1, 2], "text": "é"})
    show("request", [reply.position, reply.text])
    show("error", await outcome(send("nothing", {})))

    cancelled = send("sleep", about("file:///a", 60000), msg_id="request-7")
    client.cancel_request(CancelParams(id="request-7"))
    show("cancelled", await outcome(cancelled))

    # Editors do not show -32801: the answer would have been about older text.
    older = send("sleep", about("file:///a", 60000))
    other = send("sleep", about("file:///b", 200))
    newer = send("sleep", about("file:///a", 0))
    show("superseded by a request", await outcome(older))
    show("newest of the document", (await newer).textDocument.uri)
    show("another document", (await other).textDocument.uri)

    older = send("sleep", about("file:///a", 60000))
    notify("sleep", about("file:///a", 0))
    show("superseded by a notification", await outcome(older))

    task = {"key": "hover", "policy": "cancel"}
    older = send("lastword.call", {"method": "sleep", "params": {"ms": 60000}, "task": task})
    newer = send("lastword.call", {"method": "echo", "params": ["newest"], "task": task})
    show("lastword.call", [await newer, await outcome(older)])

    client.protocol.writer.close()
    await client.stop()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1].rsplit(":", 1)))
