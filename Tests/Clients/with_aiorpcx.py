#!/usr/bin/env python3
"""A client with aiorpcX: one JSON text per line, requests by name or position, batches.

    python3 with_aiorpcx.py HOST:PORT
"""
import asyncio
import json
import sys

import aiorpcx


def show(what, saw):
    print(json.dumps({what: saw}), flush=True)


async def outcome(request):
    """A result, or the code of the library's own exception."""
    try:
        return await request
    except aiorpcx.RPCError as error:
        return error.code


def sleeping(session, text):
    """A request that takes a minute, under way: the route takes its key from the params."""
    params = {"ms": 60000, "key": "box", "q": text}
    return asyncio.create_task(outcome(session.send_request("sleep", params)))


async def main(host, port):
    async with aiorpcx.connect_rs(host, int(port)) as session:
        show("by position", await session.send_request("echo", ["a", 1]))
        show("by name", await session.send_request("echo", {"a": 1}))
        show("error", await outcome(session.send_request("nothing")))

        async with session.send_batch() as batch:
            batch.add_request("echo", ["first"])
            batch.add_notification("echo", ["silent"])
            batch.add_request("nothing")
            batch.add_request("echo", ["last"])
        first, wrong, last = batch.results
        show("batch", [first, wrong.code, last])

        # The client knows nothing of keys; the gateway's configuration does.
        older = sleeping(session, "s")
        newer = await asyncio.gather(
            older, session.send_request("sleep", {"ms": 0, "key": "box", "q": "sw"}))
        show("superseded by a request", newer)

        older = sleeping(session, "swi")
        await asyncio.sleep(0)
        await session.send_notification("sleep", {"ms": 0, "key": "box"})
        show("superseded by a notification", await older)

        # A request that is only forgotten here goes on upstream; this ends it there, too.
        older = sleeping(session, "swif")
        await asyncio.sleep(0)
        show("cancelled requests", await session.send_request("lastword.cancel", {"key": "box"}))
        show("cancelled", await older)

        call = {"method": "sleep", "params": {"ms": 60000}, "task": {"key": "k", "policy": "cancel"}}
        older = asyncio.create_task(outcome(session.send_request("lastword.call", call)))
        await asyncio.sleep(0)
        call = {"method": "echo", "params": ["newest"], "task": {"key": "k", "policy": "cancel"}}
        show("lastword.call", [await session.send_request("lastword.call", call), await older])


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1].rsplit(":", 1)))
