#!/usr/bin/env python3
"""A client with websockets: JSON-RPC over a WebSocket, a text for each message.

    python3 with_websockets.py HOST:PORT
"""
import asyncio
import itertools
import json
import sys

from websockets.asyncio.client import connect


class Client:
    """What JSON-RPC needs beside the library: ids, and who waits for which of them."""

    def __init__(self, connection):
        self.connection, self.ids, self.waiting = connection, itertools.count(1), {}
        self.reading = asyncio.create_task(self.read())

    async def read(self):
        async for text in self.connection:
            reply = json.loads(text)
            self.waiting.pop(reply["id"]).set_result(reply)

    async def send(self, method, params, **task):
        """A request under way: its id, and what its reply will be."""
        id = next(self.ids)
        self.waiting[id] = asyncio.get_running_loop().create_future()
        more = {"task": task} if task else {}
        await self.connection.send(
            json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params, **more}))
        return id, self.waiting[id]

    async def call(self, method, params, **task):
        """A result, or an error's code."""
        _, reply = await self.send(method, params, **task)
        return outcome(await reply)


def outcome(reply):
    return reply["error"]["code"] if "error" in reply else reply["result"]


def show(what, saw):
    print(json.dumps({what: saw}), flush=True)


async def main(address):
    async with connect(f"ws://{address}/", subprotocols=["lastword.1"]) as connection:
        show("subprotocol", connection.subprotocol)
        client = Client(connection)
        show("request", await client.call("echo", {"text": "é"}))
        show("error", await client.call("nothing", []))

        _, older = await client.send("sleep", {"ms": 60000}, key="box", policy="cancel")
        newer = await client.call("echo", ["newest"], key="box", policy="cancel")
        show("newest", [newer, outcome(await older)])

        id, slow = await client.send("sleep", {"ms": 60000})
        await connection.send(json.dumps({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": id}}))
        show("cancelled", outcome(await slow))

        show("large", len((await client.call("echo", ["x" * 500_000]))[0]))
        # An empty frame that asks whether the gateway is there.
        await (await connection.ping())
    await client.reading
    show("closed", connection.close_code)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
