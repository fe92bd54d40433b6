#!/usr/bin/env python3
"""A program with two search boxes that uses tools of the Model Context Protocol. With the `mcp` package.

    python3 ask.py [mcp.json]

It starts the servers that the file names, as other clients do, and types into the boxes without awaiting answers.
"""
import asyncio
import contextlib
import json
import os
import sys

from mcp import ClientSession, MCPError, StdioServerParameters, stdio_client

SUPERSEDED = -32080
PAUSE_SECONDS = 0.1


async def start(stack, server):
    """A session with one of them, which has introduced itself."""
    program = StdioServerParameters(command=server["command"], args=server["args"], env=dict(os.environ))
    session = await stack.enter_async_context(ClientSession(*await stack.enter_async_context(stdio_client(program))))
    await session.initialize()
    return session


async def find(files, box, text):
    """What a box shows of a text; the newest of its texts supersedes the others."""
    try:
        result = await files.call_tool("find", {"text": text}, meta={"example.com/box": box})
        print(f"{box}: {text!r}: {result.content[0].text.splitlines()[0]}", flush=True)
    except MCPError as error:
        if error.error.code != SUPERSEDED:
            raise
        print(f"{box}: {text!r}: superseded", flush=True)


async def main(path="mcp.json"):
    with open(path, encoding="utf-8") as file:
        servers = json.load(file)["mcpServers"]
    async with contextlib.AsyncExitStack() as stack:
        sessions = {name: await start(stack, server) for name, server in servers.items()}
        for name, session in sessions.items():
            print(f"{name}:", *sorted(tool.name for tool in (await session.list_tools()).tools))
        now = await sessions["time"].call_tool("get_current_time", {"timezone": "Asia/Tokyo"})
        print("in Tokyo:", json.loads(now.content[0].text)["datetime"])

        async with asyncio.TaskGroup() as typing:
            for box, text in [("left", "a"), ("right", "counter"), ("left", "as"), ("left", "asyncio.sl")]:
                typing.create_task(find(sessions["files"], box, text))
                await asyncio.sleep(PAUSE_SECONDS)
        print("searches:", (await sessions["files"].call_tool("count")).content[0].text.replace("\n", ""))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
