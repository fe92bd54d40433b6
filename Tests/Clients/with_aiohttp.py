#!/usr/bin/env python3
"""A client with aiohttp, over a WebSocket and by POST.

    python3 with_aiohttp.py HOST:PORT
"""
import asyncio
import json
import sys

import aiohttp


def message(id, method, params, **task):
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params, **({"task": task} if task else {})}


def show(what, saw):
    print(json.dumps({what: saw}), flush=True)


async def main(address):
    async with aiohttp.ClientSession() as session:
        async with session.ws_connect(f"ws://{address}/", protocols=["lastword.1"], heartbeat=20) as socket:
            show("subprotocol", socket.protocol)
            await socket.send_json([message(1, "echo", ["first"]), message(2, "nothing", [])])
            replies = await socket.receive_json()
            show("batch", [reply.get("result") or reply["error"]["code"] for reply in replies])

            await socket.send_json(message(3, "sleep", {"ms": 60000}, key="box", policy="cancel"))
            # Another client, which shares the key.
            async with session.post(
                    f"http://{address}/", json=message(4, "echo", ["newest"], key="box", policy="cancel")) as response:
                show("newest, by POST", [response.status, (await response.json())["result"]])
            show("superseded", (await socket.receive_json())["error"]["code"])

            await socket.send_str("no JSON")
            show("wrong", (await socket.receive_json())["error"]["code"])
            await socket.send_json(message(5, "echo", ["still there"]))
            show("right again", (await socket.receive_json())["result"])
        show("closed", socket.close_code)

        async with session.ws_connect(f"ws://{address}/") as socket:
            await socket.send_bytes(b"{}")
            show("binary", [(await socket.receive()).type.name, socket.close_code])


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
