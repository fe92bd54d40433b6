#!/usr/bin/env python3
"""Types into a search box, and shows what comes. Standard library only.

    python3 typeahead.py HOST:PORT TEXT [--every-ms MS] [--box NAME]

Each letter sends what has been typed so far. It knows nothing of keys, cancels nothing, and shows every result in the
order in which they come: that none is stale is up to the other end.
"""
import argparse
import asyncio
import json

SUPERSEDED = -32080
PATIENCE_SECONDS = 60


class Box:
    def __init__(self, name, reader, writer):
        self.name, self.reader, self.writer = name, reader, writer
        self.texts = {}

    async def type(self, text, pause_seconds):
        for length in range(1, len(text) + 1):
            self.texts[length] = text[:length]
            self.send(length, "search", {"box": self.name, "q": text[:length]})
            await asyncio.sleep(pause_seconds)

    def send(self, number, method, params):
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.writer.write(json.dumps(request).encode() + b"\n")

    async def receive(self):
        line = await asyncio.wait_for(self.reader.readline(), PATIENCE_SECONDS)
        if not line:
            raise SystemExit("error: the gateway closed the connection")
        return json.loads(line)

    async def show(self, count):
        for _ in range(count):
            reply = await self.receive()
            print(f"{self.texts[reply['id']]!r:>16}  {outcome(reply)}", flush=True)


def outcome(reply):
    if "result" in reply:
        return "shown: " + (", ".join(line["place"] for line in reply["result"][:3]) or "nothing found")
    if reply["error"]["code"] == SUPERSEDED:
        return "superseded"
    return f"failed: {reply['error']['message']}"


async def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("address", metavar="HOST:PORT")
    parser.add_argument("text")
    parser.add_argument("--every-ms", type=int, default=60)
    parser.add_argument("--box", default="main")
    options = parser.parse_args()
    host, port = options.address.rsplit(":", 1)
    box = Box(options.box, *await asyncio.open_connection(host, int(port)))
    await asyncio.gather(box.type(options.text, options.every_ms / 1000), box.show(len(options.text)))
    box.writer.close()
    await box.writer.wait_closed()


if __name__ == "__main__":
    asyncio.run(main())
