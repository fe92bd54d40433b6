#!/usr/bin/env python3
"""A host whose user changes the prompt while a tool writes. With the `mcp` package.

    python3 host.py WORDS_URL TIME_URL [MODE]

MODE is that of the package's client before the words: legacy has a session (2025-11-25), 2026-07-28 none; auto asks.
"""
import json
import sys

import anyio
from mcp import Client, MCPError

SUPERSEDED = -32080
PAUSE_SECONDS = 0.2
PROMPTS = ["cats", "cats and dogs", "dogs"]


async def ask(client, about, ended, stale):
    """What becomes of a prompt; words that come when it is over are stale."""
    async def word(number, total, message):
        if about in ended:
            stale.append(message)
    try:
        result = await client.call_tool("write", {"about": about}, progress_callback=word,
                                        meta={"example.com/box": "prompt"})
        print(result.content[0].text, flush=True)
    except MCPError as error:
        if error.error.code != SUPERSEDED:
            raise
        print(f"{about}: superseded", flush=True)
    ended.add(about)


async def main(words_url, time_url, mode="auto"):
    async with Client(time_url) as time, Client(words_url, mode=mode) as client:
        now = await time.call_tool("get_current_time", {"timezone": "Asia/Tokyo"})
        print("in Tokyo:", json.loads(now.content[0].text)["datetime"], flush=True)
        ended, stale = set(), []
        async with anyio.create_task_group() as typing:
            for about in PROMPTS:
                typing.start_soon(ask, client, about, ended, stale)
                await anyio.sleep(PAUSE_SECONDS)
        print(f"stale words: {len(stale)}")
        print((await client.call_tool("count", {})).content[0].text.replace("\n", ""))


if __name__ == "__main__":
    anyio.run(main, *sys.argv[1:])
