#!/usr/bin/env python3
"""Plays one session with a server of the Model Context Protocol, and prints what its client learned, a line each.

    python3 play.py URL mcp|fastmcp MODE [SCENE...]

MODE is that of the SDK's client: auto, legacy, or a revision.
"""
import json
import sys

import anyio
from mcp import MCPError
from mcp.types import CreateMessageResult, ElicitResult, TextContent

url, kind, mode, *scenes = sys.argv[1:]
PAUSE_SECONDS = 0.15
PATIENCE_SECONDS = 30


def say(*words):
    print(*words, flush=True)


def told(error):
    return f"error {getattr(getattr(error, 'error', error), 'code', '')} {error}"[:200]


async def guarded(what, call):
    try:
        say(f"{what}:", await call())
    except Exception as error:
        say(f"{what}:", told(error))


def client():
    async def on_message(message):
        name = type(getattr(message, "root", message)).__name__
        if "Changed" in name:
            say("heard:", name)

    if kind == "mcp":
        from mcp import Client

        async def elicit(_, params):
            say("asked:", params.message)
            return ElicitResult(action="accept", content={"yes": True})

        async def log(params):
            say("log:", params.data)
        return Client(url, mode=mode, elicitation_callback=elicit, logging_callback=log, message_handler=on_message)

    from fastmcp import Client

    async def elicit(message, response_type, params, context):
        say("asked:", message)
        return response_type(yes=True)

    async def log(message):
        say("log:", message.data)
    return Client(url, mode=mode, elicitation_handler=elicit, log_handler=log, message_handler=on_message)


def text(result):
    return result.content[0].text if result.content else ""


class Session:
    def __init__(self, inside):
        self.inside = inside

    async def call(self, tool, arguments, on_progress=None, box=None):
        """The text of what a tool gives."""
        meta = {"example.com/box": box} if box else None
        if kind == "mcp":
            return text(await self.inside.call_tool(tool, arguments, progress_callback=on_progress, meta=meta))
        return text(await self.inside.call_tool(tool, arguments, progress_handler=on_progress, meta=meta))

    async def names(self, what):
        listed = await getattr(self.inside, f"list_{what}")()
        return sorted(str(one.uri) if what == "resources" else one.name for one in getattr(listed, what, listed))

    # MARK: Scenes

    async def usual(self):
        """All that goes to a server and comes back."""
        for what in ("tools", "resources", "prompts"):
            await guarded(what, lambda: self.names(what))
        await guarded("echo", lambda: self.call("echo", {"text": "ä \n 🙂"}))
        await guarded("fail", lambda: self.call("fail", {"text": "on purpose"}))
        await guarded("nobody", lambda: self.call("nobody", {}))
        await guarded("prompt", self.prompt)
        await guarded("resource", self.resource)
        steps = []

        async def progress(done, total, message):
            steps.append(message)
        await guarded("slow", lambda: self.call("slow", {"word": "w", "seconds": 0.2}, progress))
        say("progress:", steps)
        await guarded("ask", lambda: self.call("ask", {"question": "sure?"}))
        await guarded("tell", lambda: self.call("tell", {"text": "a log line"}))

    async def prompt(self):
        return (await self.inside.get_prompt("greet", {"name": "Ada"})).messages[0].content.text

    async def resource(self):
        read = await self.inside.read_resource("note://one")
        return getattr(read, "contents", read)[0].text

    async def many(self):
        """Several calls at once, each with its own progress."""
        heard = {}

        async def one(number):
            async def progress(done, total, message):
                heard.setdefault(number, []).append(message)
            heard[number, "text"] = await self.call("slow", {"word": f"w{number}", "seconds": 0.5}, progress)
        async with anyio.create_task_group() as group:
            for number in range(8):
                group.start_soon(one, number)
        for number in range(8):
            say(number, heard[number, "text"], heard.get(number) == [f"w{number} {step}" for step in range(10)])

    async def cancelled(self):
        """A call that its client gives up."""
        before = await self.counts()
        with anyio.move_on_after(0.3):
            await self.call("slow", {"word": "given up", "seconds": 60})
        await self.say_counts(before, ended=1)

    async def counts(self):
        return json.loads(await self.call("count", {}))

    async def say_counts(self, before, ended):
        """What the server has done since then, once so many calls have ended there."""
        with anyio.fail_after(PATIENCE_SECONDS):
            while True:
                now = {name: count - before[name] for name, count in (await self.counts()).items()}
                if now["finished"] + now["cancelled"] >= ended:
                    return say("counts:", now)
                await anyio.sleep(0.05)

    async def broken(self):
        """An answer over a stream that breaks off and is gone on with."""
        await guarded("breaks", lambda: self.call("breaks", {}))

    async def superseded(self):
        """Of the calls for one box only the newest is answered, and progress of the others ends at once."""
        ended, before = set(), await self.counts()

        async def type_word(word):
            async def progress(done, total, message):
                if word in ended:
                    say("stale progress of", word)
            try:
                said = await self.call("slow", {"word": word, "seconds": 1}, progress, box="left")
            except Exception as error:
                said = told(error)
            ended.add(word)
            say(f"{word}:", "superseded" if "superseded" in said else said)
        async with anyio.create_task_group() as group:
            for word in ("a", "as", "asy"):
                group.start_soon(type_word, word)
                await anyio.sleep(PAUSE_SECONDS)
        await self.say_counts(before, ended=3)


async def main():
    async with client() as inside:
        session = Session(inside)
        for scene in scenes or ["usual", "many", "cancelled"]:
            await getattr(session, scene)()
            await anyio.sleep(0.1)


if __name__ == "__main__":
    anyio.run(main)
