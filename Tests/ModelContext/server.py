#!/usr/bin/env python3
"""A server of the Model Context Protocol over streamable HTTP, made with one of two SDKs. Prints its port.

    python3 server.py mcp|fastmcp [json] [stateless] [resumable]

json: answers are no event streams; stateless: without sessions; resumable: its event streams break off and go on.
"""
import collections
import socket
import sys

import anyio
import uvicorn
from mcp.server.streamable_http import EventMessage, EventStore
from pydantic import BaseModel

kind, *ways = sys.argv[1:]
counts = collections.Counter(begun=0, finished=0, cancelled=0)


class Consent(BaseModel):
    yes: bool


class Events(EventStore):
    """Keeps all events, by number."""

    def __init__(self):
        self.events = []

    async def store_event(self, stream_id, message):
        self.events.append((stream_id, message))
        return str(len(self.events))

    async def replay_events_after(self, last_event_id, send_callback):
        stream = self.events[int(last_event_id) - 1][0]
        for number, (name, message) in enumerate(self.events[int(last_event_id):], int(last_event_id) + 1):
            if name == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


if kind == "mcp":
    from mcp.server.mcpserver import Context, MCPServer
    server = MCPServer("tools", version="1", instructions="use them")
else:
    from fastmcp import Context, FastMCP
    server = FastMCP("tools", version="1", instructions="use them")


@server.tool()
def echo(text: str) -> str:
    """Gives a text back."""
    return text


@server.tool()
def fail(text: str) -> str:
    """Fails."""
    raise ValueError(text)


@server.tool()
async def slow(word: str, seconds: float, ctx: Context) -> str:
    """Gives a word back after so many seconds, and reports progress ten times."""
    counts["begun"] += 1
    try:
        for step in range(10):
            await ctx.report_progress(step, 10, f"{word} {step}")
            await anyio.sleep(seconds / 10)
    except anyio.get_cancelled_exc_class():
        counts["cancelled"] += 1
        raise
    counts["finished"] += 1
    return word


@server.tool()
async def tell(text: str, ctx: Context) -> str:
    """Writes to the client's log, and says that the tools have changed."""
    await ctx.info(text)
    if kind == "mcp":
        await ctx.session.send_tool_list_changed()
    return "told"


@server.tool()
async def ask(question: str, ctx: Context) -> str:
    """Asks whoever uses the client."""
    if kind == "mcp":
        answer = await ctx.elicit(message=question, schema=Consent)
    else:
        answer = await ctx.elicit(question, response_type=Consent)
    return f"{answer.action} {answer.data.yes}"


@server.tool()
async def breaks(ctx: Context) -> str:
    """Answers over a stream that breaks off before it does."""
    await ctx.close_sse_stream()
    await anyio.sleep(0.2)
    return "whole"


@server.tool()
def count() -> dict[str, int]:
    """What became of the slow ones."""
    return dict(counts)


@server.resource("note://one")
def note() -> str:
    """A note."""
    return "noted"


@server.prompt()
def greet(name: str) -> str:
    """A greeting."""
    return f"Greet {name}."


def application():
    events = {"event_store": Events(), "retry_interval": 100} if "resumable" in ways else {}
    ways_of_both = {"json_response": "json" in ways, "stateless_http": "stateless" in ways} | events
    if kind == "mcp":
        return server.streamable_http_app(**ways_of_both)
    return server.http_app(path="/mcp", **ways_of_both)


if __name__ == "__main__":
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(application(), log_level="error")).run(sockets=[listener])
