#!/usr/bin/env python3
"""A client of lastword: a search box whose stale answers never arrive. Standard library only.

    python3 client.py [HOST:PORT]

It types "s", "sw", "swift" faster than the answers come. Each keystroke is a request under the same key, so the
newest supersedes the older ones: their callers hear -32080 at once, and only the last answer is ever shown.
"""
import asyncio
import json
import sys

SUPERSEDED = -32080
LINE_LIMIT_BYTES = 4 << 20


class Superseded(Exception):
    """A newer request took this one's place: not an error to show to anybody."""


class RemoteError(Exception):
    def __init__(self, error):
        super().__init__(error["message"])
        self.code, self.data = error["code"], error.get("data")


class Client:
    """One connection, and a future for each open request."""

    def __init__(self, reader, writer):
        self.writer = writer
        self.open = {}
        self.last_id = 0
        self.listening = asyncio.ensure_future(self.listen(reader))

    @classmethod
    async def connect(cls, host, port):
        return cls(*await asyncio.open_connection(host, port, limit=LINE_LIMIT_BYTES))

    async def call(self, method, params=None, **task):
        """Sends a request; `task` says what lastword shall do with it: key=…, policy=…, timeoutMs=…"""
        if self.listening.done():
            raise ConnectionError("the gateway closed the connection")
        self.last_id += 1
        request = {"jsonrpc": "2.0", "id": self.last_id, "method": method}
        if params is not None:
            request["params"] = params
        if task:
            request["task"] = task
        answer = self.open[self.last_id] = asyncio.get_running_loop().create_future()
        self.writer.write(json.dumps(request).encode() + b"\n")
        await self.writer.drain()
        return await answer

    async def listen(self, reader):
        try:
            async for line in reader:
                self.answered(json.loads(line))
        except (OSError, ValueError):
            pass  # Behind what cannot be read, nothing can be trusted.
        finally:
            self.writer.close()
            for answer in self.open.values():
                if not answer.done():
                    answer.set_exception(ConnectionError("the gateway closed the connection"))

    def answered(self, reply):
        answer = self.open.pop(reply["id"], None)
        if answer is None or answer.done():
            return
        if "result" in reply:
            answer.set_result(reply["result"])
        elif reply["error"]["code"] == SUPERSEDED:
            answer.set_exception(Superseded())
        else:
            answer.set_exception(RemoteError(reply["error"]))

    async def close(self):
        self.writer.close()
        await self.listening


async def keystroke(client, text, milliseconds):
    try:
        result = await client.call(
            "sleep", {"ms": milliseconds, "q": text}, key="search:box-1", policy="cancel")
        print(f"{text}: shown ({result['q']})", flush=True)
    except Superseded:
        print(f"{text}: superseded", flush=True)


async def main():
    host, port = (sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:5278").rsplit(":", 1)
    client = await Client.connect(host, int(port))
    # The shorter the query, the longer the answer takes: without a gateway "s" would be shown last.
    keystrokes = []
    for text, milliseconds in [("s", 600), ("sw", 300), ("swift", 50)]:
        keystrokes.append(asyncio.ensure_future(keystroke(client, text, milliseconds)))
        await asyncio.sleep(0.02)
    await asyncio.gather(*keystrokes)
    await client.close()


if __name__ == "__main__":
    asyncio.run(main())
