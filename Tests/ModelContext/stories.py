#!/usr/bin/env python3
"""Runs the examples of the official Python SDK, each of which checks itself, directly and through lastword.

    python stories.py EXAMPLES [NAME...]       with a Python that has the SDK, started by scripts/mcp

EXAMPLES is the SDK's directory of examples, LASTWORD_BINARY names the gateway. The last line says how many passed.
"""
import asyncio
import contextlib
import importlib
import logging
import pathlib
import subprocess
import sys
import tomllib

import anyio
import httpx2
import uvicorn
from mcp.types.version import LATEST_MODERN_VERSION

from check import CONFIGURATION, Started

PATIENCE_SECONDS = 60
# So many processes share all examples: most of their time they wait.
PROCESSES = 3
# What they are about goes on between a client and a server without lastword, or is not handed on by it.
LEFT_OUT = {
    "bearer_auth": "tokens of clients never go upstream (decision 0052)",
    "oauth": "as bearer_auth",
    "oauth_client_credentials": "as bearer_auth",
    "identity_assertion": "as bearer_auth",
    "serve_one": "it has no server over HTTP",
}


def describe(error):
    """An error, or all those of a group, in one line."""
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(describe(one) for one in error.exceptions)
    return f"{type(error).__name__}: {error}"


class Story:
    def __init__(self, name, settings):
        self.name, self.settings = name, settings

    def variants(self):
        """Its servers, and the eras of the protocol that it is for."""
        modules = ["server"] + ["server_lowlevel"] * self.settings["lowlevel"]
        eras = {"dual": [LATEST_MODERN_VERSION, "legacy"], "modern": [LATEST_MODERN_VERSION], "legacy": ["legacy"],
                "dual-in-body": ["auto"]}[self.settings["era"]]
        return [(module, era) for module in modules for era in eras]

    @property
    def configuration(self):
        """Of a gateway before one of its servers."""
        return CONFIGURATION.replace('/mcp"', f'{self.settings["mcp_path"]}"')

    def application(self, module):
        server = importlib.import_module(f"stories.{self.name}.{module}")
        if self.settings["server_export"] == "app":
            return server.build_app()
        return importlib.import_module("stories._hosting").asgi_from(server.build_server())

    async def run(self, origin, era):
        """Raises what its client raises."""
        main = importlib.import_module(f"stories.{self.name}.client").main
        url = origin + self.settings["mcp_path"]
        target = (lambda: url) if self.settings["multi_connection"] else url
        async with contextlib.AsyncExitStack() as stack:
            others = {}
            if self.settings["needs_http"]:
                others["http"] = await stack.enter_async_context(httpx2.AsyncClient(base_url=origin))
            await asyncio.wait_for(main(target, mode=era, **others), PATIENCE_SECONDS)


@contextlib.asynccontextmanager
async def serving(application):
    """The port where it listens."""
    server = uvicorn.Server(uvicorn.Config(application, port=0, log_level="error", timeout_graceful_shutdown=1))
    served = asyncio.create_task(server.serve())
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not server.started:
                await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield port
    finally:
        server.should_exit = True
        await served


async def check(story, module, era):
    """What went wrong, or nothing."""
    what = f"{story.name}, {module}, {era}"
    for way in ("directly", "through lastword"):
        try:
            async with serving(story.application(module)) as port:
                with Started() as started:
                    if way != "directly":
                        port = started.gateway(port, story.configuration)
                    await story.run(f"http://127.0.0.1:{port}", era)
        except Exception as error:
            return f"{what}, {way}: {describe(error)[:1000]}"
    print(f"passed: {what}", flush=True)
    return None


async def check_all(stories):
    """How many passed, one after the other: streams of one server end when another one of the same process does."""
    outcomes = [await check(story, *variant) for story in stories for variant in story.variants()]
    faults = [outcome for outcome in outcomes if outcome]
    if faults or not outcomes:
        sys.exit("\n".join(f"error: {fault}" for fault in faults or ["no example was run"]))
    return len(outcomes)


def share(examples, names):
    """How many passed in processes of their own, each with a share."""
    words = [sys.executable, "-B", __file__, examples]
    programs = [subprocess.Popen(words + names[first::PROCESSES], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
                for first in range(PROCESSES)]
    lines = "".join(program.communicate()[0] for program in programs).splitlines()
    passed = [line for line in lines if line.startswith("passed: ")]
    print(*passed, sep="\n")
    if any(program.returncode for program in programs):
        sys.exit("error: an example failed")
    return len(passed)


def main(examples, wanted):
    manifest = tomllib.loads((examples / "stories" / "manifest.toml").read_text())
    stories = {name: Story(name, manifest["defaults"] | settings) for name, settings in manifest["story"].items()}
    if unknown := [name for name in wanted if name not in stories]:
        sys.exit(f"error: no example is called {' '.join(unknown)}")
    if wanted:
        passed = anyio.run(check_all, [stories[name] for name in wanted])
    else:
        passed = share(examples, [name for name in stories if name not in LEFT_OUT])
    print(f"detail: {passed} examples of the SDK passed")


if __name__ == "__main__":
    where = pathlib.Path(sys.argv[1])
    sys.path.insert(0, str(where))
    # The SDK tells of every request.
    logging.disable(logging.WARNING)
    main(where, sys.argv[2:])
