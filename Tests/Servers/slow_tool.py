#!/usr/bin/env python3
"""An MCP server over standard input and output, made with the mcp SDK, whose one tool is slow.

    python3 slow_tool.py LOG

A line of JSON in LOG for each message that came, with the id as the SDK saw it, and for each call that was cut short.
"""
import json
import sys

import anyio
from mcp.server.mcpserver import Context, MCPServer


def serve(path):
    server = MCPServer("slow", version="1")

    def note(**what):
        with open(path, "a", encoding="utf-8") as log:
            log.write(json.dumps(what) + "\n")

    async def record(ctx, call_next):
        note(method=ctx.method, id=ctx.request_id, params=dict(ctx.params or {}))
        return await call_next(ctx)

    server.middleware.append(record)

    @server.tool()
    async def slow(word: str, seconds: float, ctx: Context) -> str:
        """Gives the word back after so many seconds; says when it begins."""
        await ctx.report_progress(0, 1, f"{word} begun")
        try:
            await anyio.sleep(seconds)
        except anyio.get_cancelled_exc_class():
            note(cutShort=ctx.request_context.request_id, word=word)
            raise
        return word

    server.run()


if __name__ == "__main__":
    serve(*sys.argv[1:])
