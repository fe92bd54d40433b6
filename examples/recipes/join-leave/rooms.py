#!/usr/bin/env python3
"""Rooms that people join and leave, where joining takes its time. Standard library only.

    python3 rooms.py HOST:PORT

It prints the address that it listens on, and answers
    room.join     {"room", "user"}: {"seat": N}
    room.leave    {"room", "user"}: {"left": true or false}
    room.unjoin   {"params", "result"} of a join that nobody wanted any more: gives back the seat that it took
    room.where    {"room", "user"}: {"seat": N or null}
    room.count    how often what was done

`$/cancelRequest` ends a join that has not taken a seat yet, or a leave that has not given it back. Then it is too
late: they succeed.
"""
import asyncio
import collections
import itertools
import json
import random
import sys

# Asking whether there is room, telling everybody who came, and letting somebody go.
ASKING_SECONDS, TELLING_SECONDS, LEAVING_SECONDS = 0.03, 0.05, 0.05


class Failure(Exception):
    def __init__(self, code, message):
        self.code, self.message = code, message


class Rooms:
    """Who has which seat. Seats are not given out again."""

    def __init__(self):
        self.seats = {}
        self.numbers = itertools.count(1)
        self.given_back = set()
        self.counts = collections.Counter()

    async def join(self, who, too_late):
        await asyncio.sleep(random.uniform(0, ASKING_SECONDS))
        too_late()
        seat = self.seats[who] = next(self.numbers)
        self.counts["taken"] += 1
        await asyncio.sleep(random.uniform(0, TELLING_SECONDS))
        return {"seat": seat}

    async def leave(self, who, too_late):
        await asyncio.sleep(random.uniform(0, LEAVING_SECONDS))
        too_late()
        self.counts["left"] += 1
        return {"left": self.seats.pop(who, None) is not None}

    def unjoin(self, who, seat):
        if seat in self.given_back:
            self.counts["given back twice"] += 1
        self.given_back.add(seat)
        self.counts["given back"] += 1
        # Somebody who has joined again meanwhile has another one.
        if self.seats.get(who) == seat:
            del self.seats[who]
        return {}

    async def handle(self, method, params, too_late):
        if method == "room.count":
            return self.counts
        if method == "room.unjoin":
            return self.unjoin(place(params["params"]), params["result"]["seat"])
        if method == "room.join":
            return await self.join(place(params), too_late)
        if method == "room.leave":
            return await self.leave(place(params), too_late)
        if method == "room.where":
            return {"seat": self.seats.get(place(params))}
        raise Failure(-32601, "Method not found")


def place(params):
    return params["room"], params["user"]


class Conversation:
    """One connection, and what can still be cancelled of it."""

    def __init__(self, rooms, reader, writer):
        self.rooms, self.reader, self.writer = rooms, reader, writer
        self.open = {}

    async def listen(self):
        try:
            async for line in self.reader:
                self.heard(json.loads(line))
        except (ConnectionError, ValueError):
            pass  # Behind what cannot be read, nothing can be trusted.
        finally:
            # Nobody is left who would want it, or could be told of a seat.
            for work in list(self.open.values()):
                work.cancel()
            self.writer.close()

    def heard(self, message):
        if message["method"] == "$/cancelRequest":
            if work := self.open.get(message["params"]["id"]):
                work.cancel()
        else:
            number = message["id"]
            work = self.open[number] = asyncio.create_task(self.work(number, message))
            work.add_done_callback(lambda work, number=number: self.answer(number, work))

    async def work(self, number, message):
        return await self.rooms.handle(
            message["method"], message.get("params", {}), lambda: self.open.pop(number, None))

    def answer(self, number, work):
        self.open.pop(number, None)
        reply = {"jsonrpc": "2.0", "id": number}
        if work.cancelled():
            self.rooms.counts["cancelled"] += 1
            reply["error"] = {"code": -32800, "message": "Request cancelled"}
        elif isinstance(error := work.exception(), Failure):
            reply["error"] = {"code": error.code, "message": error.message}
        elif error:
            reply["error"] = {"code": -32602, "message": f"{type(error).__name__}: {error}"}
        else:
            reply["result"] = work.result()
        if not self.writer.is_closing():
            self.writer.write(json.dumps(reply).encode() + b"\n")


async def main(address):
    host, port = address.rsplit(":", 1)
    rooms = Rooms()
    server = await asyncio.start_server(
        lambda reader, writer: Conversation(rooms, reader, writer).listen(), host, int(port))
    print("rooms on %s:%d" % server.sockets[0].getsockname(), flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    try:
        asyncio.run(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(0)
