#!/usr/bin/env python3
"""A typeahead on lastword: the newest query has the last word. Standard library only.

    python3 typeahead.py HOST:PORT KEY
    LASTWORD_TOKEN=… LASTWORD_CA=ca.pem python3 typeahead.py tls:HOST:PORT KEY
"""
import asyncio
import itertools
import json
import os
import random
import ssl
import sys

SUPERSEDED, SHUTTING_DOWN, UNAUTHENTICATED, CANCELLED = -32080, -32085, -32087, -32800
NOT_ALLOWED_STATUS = 77
FIRST_PAUSE_SECONDS, LAST_PAUSE_SECONDS = 0.05, 2
CONNECT_SECONDS, NEXT_ADDRESS_SECONDS = 5, 0.25
LINE_LIMIT_BYTES = 4 << 20


class NotWanted(Exception):
    """The request was superseded or cancelled: not an error to show to anybody."""


class Lost(Exception):
    """The connection went before the answer came."""


class Failure(Exception):
    """An error that the user sees: what it lacks is 0, or empty."""

    def __init__(self, error):
        members = error if isinstance(error, dict) else {}
        code, message = members.get("code"), members.get("message")
        self.code = code if type(code) is int else 0
        super().__init__(f"{self.code} {message if isinstance(message, str) else ''}")


class Gateway:
    """A connection that comes back, and a future for each request that is open on it."""

    def __init__(self, address, changed):
        self.host, self.port = address.removeprefix("tls:").rsplit(":", 1)
        # If no authority is named, those count whom the system trusts.
        self.tls = ssl.create_default_context(cafile=os.environ.get("LASTWORD_CA")) if address.startswith("tls:") else None
        self.token = os.environ.get("LASTWORD_TOKEN")
        self.changed = changed
        self.ids = itertools.count(1)
        self.open = {}
        self.writer = None
        self.online = asyncio.Event()

    async def stay_connected(self):
        self.pause = FIRST_PAUSE_SECONDS
        while True:
            try:
                async with asyncio.timeout(CONNECT_SECONDS):
                    reader, self.writer = await asyncio.open_connection(
                        self.host, self.port, limit=LINE_LIMIT_BYTES, happy_eyeballs_delay=NEXT_ADDRESS_SECONDS,
                        ssl=self.tls)
                    if self.token:
                        await self.authenticate(reader)
            except ssl.SSLCertVerificationError as error:
                self.refused(f"certificate: {error.verify_message}")
            except (OSError, ValueError, AttributeError, Failure):
                if self.writer:
                    self.writer.close()
            else:
                self.online.set()
                self.changed("online")
                await self.listen(reader)
                self.lose()
            await asyncio.sleep(self.pause * random.uniform(0.5, 1))
            self.pause = min(2 * self.pause, LAST_PAUSE_SECONDS)

    async def authenticate(self, reader):
        """Nothing else is said before this is answered."""
        self.send(id=0, method="lastword.authenticate", params={"token": self.token})
        error = json.loads(await reader.readline()).get("error")
        if error is not None:
            failure = Failure(error)
            if failure.code == UNAUTHENTICATED:
                self.refused(failure)
            raise failure

    def refused(self, why):
        """Whoever answers is not to be trusted, or does not know who this is: trying again is of no use."""
        self.changed(f"refused {why}")
        os._exit(NOT_ALLOWED_STATUS)  # At once: another thread waits for a command.

    async def listen(self, reader):
        try:
            while (line := await reader.readline()).endswith(b"\n"):
                self.pause = FIRST_PAUSE_SECONDS
                self.hear(json.loads(line))
        except (OSError, ValueError, TypeError, LookupError, AttributeError):
            pass  # Behind a line that is no message, or too long, nothing is to be trusted.

    def hear(self, message):
        if not isinstance(message, dict):
            raise ValueError
        failure = None if message.get("error") is None else Failure(message["error"])
        code = failure and failure.code
        if code == SHUTTING_DOWN:
            raise ConnectionAbortedError
        answer = self.open.pop(message.get("id"), None)
        if answer is None or answer.done():
            return
        if failure is None:
            answer.set_result(message.get("result"))
        elif code in (SUPERSEDED, CANCELLED):
            answer.set_exception(NotWanted())
        else:
            answer.set_exception(failure)

    def lose(self):
        self.online.clear()
        self.writer.close()
        self.changed("offline")
        for answer in self.open.values():
            if not answer.done():
                answer.set_exception(Lost())
        self.open.clear()

    def send(self, **message):
        self.writer.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    async def call(self, method, params, task):
        request = next(self.ids)
        answer = self.open[request] = asyncio.get_running_loop().create_future()
        self.send(id=request, method=method, params=params, task=task)
        try:
            return await answer
        except asyncio.CancelledError:
            if self.open.pop(request, None):
                self.send(method="$/cancelRequest", params={"id": request})
            raise


class Box:
    """The search box: what it shows is the answer to what stands in it."""

    def __init__(self, gateway, key, show):
        self.gateway, self.show = gateway, show
        self.task = {"key": key, "policy": "cancel"}
        self.newest = None
        self.running = set()
        self.idle = asyncio.Event()
        self.idle.set()

    def type(self, text):
        # The older request is left alone: the gateway supersedes it.
        self.newest = asyncio.create_task(self.ask(text))
        self.running.add(self.newest)
        self.newest.add_done_callback(self.running.discard)
        if self.idle.is_set():
            self.idle.clear()
            self.show("spinner on")

    def clear(self):
        if not self.idle.is_set():
            self.newest.cancel()
            self.settle()

    def settle(self, *lines):
        self.newest = None
        self.idle.set()
        for line in ("spinner off", *lines):
            self.show(line)

    async def ask(self, text):
        params = {"ms": 1000 - 50 * len(text), "q": text}
        while True:
            await self.gateway.online.wait()
            if self.newest is not asyncio.current_task():
                return
            try:
                result = await self.gateway.call("sleep", params, self.task)
                lines = [f"shown {result.get('q', '') if isinstance(result, dict) else ''}"]
            except Lost:
                continue
            except NotWanted:
                lines = []
            except Failure as failure:
                lines = [f"failed {failure}"]
            if self.newest is asyncio.current_task():
                self.settle(*lines)
            return


async def commands():
    while line := await asyncio.to_thread(sys.stdin.readline):
        yield line.rstrip("\n").partition(" ")


async def main(address, key):
    def show(line):
        print(line, flush=True)

    gateway = Gateway(address, show)
    connecting = asyncio.create_task(gateway.stay_connected())
    box = Box(gateway, key, show)
    async for command, _, text in commands():
        if command == "type":
            box.type(text)
        elif command == "clear":
            box.clear()
        elif command == "wait":
            await box.idle.wait()
            show("idle")
        elif command == "quit":
            break
    box.clear()
    await asyncio.gather(*box.running, return_exceptions=True)
    connecting.cancel()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
