#!/usr/bin/env python3
"""Users who cannot make up their minds, and what became of it. Standard library only.

    python3 flip.py HOST:PORT [--users N] [--flips N] [--seed N]

Each user joins a room and leaves it again, in turn and without awaiting the answers, and now and then loses the
connection. Half of them stay until their last wish is answered, half go in the middle of it. Then each must be in the
room if the last wish was to join and was answered, and out of it otherwise; and each seat that was taken must have
been given to somebody or given back. The exit status is 1 if not.
"""
import argparse
import asyncio
import collections
import json
import random
import socket
import struct
import sys

SUPERSEDED = -32080
PATIENCE_SECONDS = 60
# Between two flips, and how often one is followed by another mishap.
LONGEST_PAUSE_SECONDS, LOSING, SETTLING = 0.06, 0.06, 0.3


class Connection:
    """One to the gateway; each request has a future that is its reply, None if none came."""

    @classmethod
    async def open(cls, host, port):
        self = cls()
        self.reader, self.writer = await asyncio.open_connection(host, port)
        self.waiting, self.last_id = {}, 0
        self.listening = asyncio.create_task(self.listen())
        return self

    async def listen(self):
        try:
            async for line in self.reader:
                reply = json.loads(line)
                self.waiting.pop(reply["id"]).set_result(reply)
        except ConnectionError:
            pass
        for answer in self.waiting.values():
            answer.set_result(None)

    def call(self, method, params, **task):
        self.last_id += 1
        answer = self.waiting[self.last_id] = asyncio.get_running_loop().create_future()
        request = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params, "task": task}
        self.writer.write(json.dumps(request).encode() + b"\n")
        return answer

    async def result(self, method, params, **task):
        reply = await asyncio.wait_for(self.call(method, params, **task), PATIENCE_SECONDS)
        if not reply or "result" not in reply:
            raise SystemExit(f"error: {method} is answered {reply}")
        return reply["result"]

    async def lose(self):
        """As a machine that goes: what was under way to it is lost."""
        self.writer.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()
        await self.listening

    async def leave(self):
        """As a client that ends: it says no more, and hears what is still said."""
        self.writer.write_eof()
        await asyncio.wait_for(self.listening, PATIENCE_SECONDS)
        self.writer.close()


class User:
    """One who flips between in and out of a room."""

    def __init__(self, name, address, chance, counts):
        self.address, self.chance, self.counts = address, chance, counts
        self.place = {"room": "lobby", "user": name}
        self.key = f"lobby/{name}"
        self.wish, self.answers = "room.leave", []

    async def connect(self):
        self.connection = await Connection.open(*self.address)

    def say(self):
        self.last = self.connection.call(self.wish, self.place, key=self.key)
        self.answers.append((self.wish, self.last))

    async def settle(self):
        reply = await asyncio.wait_for(self.last, PATIENCE_SECONDS)
        if not reply or "result" not in reply:
            raise SystemExit(f"error: the last wish of {self.key}, {self.wish}, is answered {reply}")

    async def lose(self):
        """Whoever was cut off does not know where they are: they say it again, and wait for the answer."""
        self.counts["lost connections"] += 1
        self.counts["lost joins"] += self.wish == "room.join" and not self.last.done()
        await self.connection.lose()
        await self.connect()
        self.say()
        await self.settle()

    async def flip(self):
        self.wish = "room.join" if self.wish == "room.leave" else "room.leave"
        self.counts["flips"] += 1
        self.say()
        await asyncio.sleep(self.chance.uniform(0, LONGEST_PAUSE_SECONDS))
        mishap = self.chance.random()
        if mishap < LOSING:
            await self.lose()
        elif mishap < LOSING + SETTLING:
            await self.settle()

    async def play(self, flips, stays):
        await self.connect()
        # One more or not: so that some end inside and some outside.
        for _ in range(flips + self.chance.randint(0, 1)):
            await self.flip()
        if stays:
            await self.settle()
        await self.connection.leave()
        for wish, answer in self.answers:
            reply = answer.result()
            self.count(wish, reply)
        self.expects_seat = self.wish == "room.join" and "result" in (self.last.result() or {})

    def count(self, wish, reply):
        if reply and "result" in reply:
            self.counts["answered"] += 1
            self.counts["joined"] += wish == "room.join"
        elif reply and reply["error"]["code"] == SUPERSEDED:
            self.counts["superseded"] += 1


async def verdict(users, connection, counts):
    """What is wrong, in words."""
    wrong = []
    for user in users:
        # It waits its turn behind whatever is still going on about this place, giving back included.
        where = await connection.result("room.where", user.place, key=user.key)
        has_seat = where["seat"] is not None
        counts["inside"] += has_seat
        if has_seat != user.expects_seat:
            wrong.append(f"{user.key} is {'in' if has_seat else 'out'} and should not be")
    counts.update(await connection.result("room.count", {}))
    # Of a join whose connection was lost nobody can say whether its answer had been on the way.
    unknown = counts["taken"] - counts["joined"] - counts["given back"]
    if not 0 <= unknown <= counts["lost joins"]:
        wrong.append(f"{unknown} seats were neither given to somebody nor given back")
    if counts["given back twice"]:
        wrong.append(f"{counts['given back twice']} seats were given back twice")
    return wrong


async def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("address", metavar="HOST:PORT")
    parser.add_argument("--users", type=int, default=40)
    parser.add_argument("--flips", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    host, port = options.address.rsplit(":", 1)
    address, counts = (host, int(port)), collections.Counter()
    connection = await Connection.open(*address)
    # What was done before is not counted.
    counts.subtract(await connection.result("room.count", {}))
    users = [User(f"user-{number}", address, random.Random(options.seed * 1000 + number), counts)
             for number in range(options.users)]
    await asyncio.gather(*(user.play(options.flips, number % 2) for number, user in enumerate(users)))
    wrong = await verdict(users, connection, counts)
    await connection.leave()
    print("{flips} flips, {lost connections} lost connections\n"
          "{answered} answered, {superseded} superseded\n"
          "{taken} seats taken, {given back} of them given back, {cancelled} requests cancelled in time\n"
          "{inside} inside".format_map(counts) + (", NOT as wished" if wrong else ", as wished"))
    for line in wrong:
        print("wrong:", line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
