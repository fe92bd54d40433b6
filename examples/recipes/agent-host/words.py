#!/usr/bin/env python3
"""A server of the Model Context Protocol over streamable HTTP: its tool writes word by word. With the `mcp` package.

    python3 words.py HOST:PORT

It speaks all revisions of the protocol that the package knows, with sessions and without.
"""
import collections
import socket
import sys

import anyio
import uvicorn
from mcp.server.mcpserver import Context, MCPServer

PAUSE_SECONDS = 0.05
WORDS = "the quick brown fox jumps over the lazy dog and runs away from everybody who asks".split()

server = MCPServer("words", version="1")
counts = collections.Counter(begun=0, finished=0, cancelled=0)


@server.tool()
async def write(about: str, ctx: Context) -> str:
    """Writes a sentence about something, and reports each word of it as progress."""
    counts["begun"] += 1
    try:
        for number, word in enumerate(WORDS):
            await ctx.report_progress(number, len(WORDS), f"{about}: {word}")
            await anyio.sleep(PAUSE_SECONDS)
    except anyio.get_cancelled_exc_class():
        counts["cancelled"] += 1
        raise
    counts["finished"] += 1
    return f"{about}: {' '.join(WORDS)}"


@server.tool()
def count() -> dict[str, int]:
    """How many sentences were begun, finished and cancelled."""
    return dict(counts)


def main(address):
    host, port = address.rsplit(":", 1)
    listener = socket.create_server((host, int(port)))
    print("%s:%d" % listener.getsockname(), flush=True)
    uvicorn.Server(uvicorn.Config(server.streamable_http_app(), log_level="error")).run(sockets=[listener])


if __name__ == "__main__":
    main(*sys.argv[1:])
