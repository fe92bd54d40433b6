#!/usr/bin/env python3
"""A JSON-RPC upstream handler that honours cancellation. Standard library only.

    python3 upstream.py [--port PORT] [--unix PATH] [--ignore-cancel]

It prints the address it listens on. What it answers, and when, is said in examples/upstreams/README.md. To make it
your own, replace what `Work` does.
"""
import argparse
import asyncio
import contextlib
import json
import logging
import math
import os
import signal
import sys

LINE_LIMIT_BYTES = 1 << 20
OPEN_LIMIT = 1000  # Requests of one connection that are worked on at once.
GRACE_SECONDS = 5  # What is open at the end has this long; then it is cancelled.
FLUSH_SECONDS = 1
SLEEP_LIMIT_MS = 3_600_000
PRIMES_LIMIT = 100_000_000
PIECE_NUMBERS = 100  # How many are looked at in one go: not more than a few milliseconds.
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
CANCELLED, REFUSED = -32800, -32000


class Failure(Exception):
    """What a request is answered with instead of a result."""

    def __init__(self, code, message):
        super().__init__(code, message)
        self.code, self.message = code, message


class Work:
    """What is done for requests. It may be cancelled at every `await`."""

    def __init__(self):
        self.started = self.finished = self.cancelled = self.pieces = 0
        self.methods = {"echo": self.echo, "sleep": self.sleep, "primes": self.primes, "fail": self.fail,
                        "crash": self.crash, "abandon": self.abandon, "stats": self.stats}

    async def echo(self, params):
        return params

    async def sleep(self, params):
        await asyncio.sleep(whole_number(params, "ms", SLEEP_LIMIT_MS) / 1000)
        return params

    async def primes(self, params):
        """Counts them the long way, piece by piece."""
        below, count = whole_number(params, "below", PRIMES_LIMIT), 0
        for first in range(0, below, PIECE_NUMBERS):
            # Everybody else's turn, that of the cancel for this very request among them. It would end here.
            await asyncio.sleep(0)
            count += sum(map(is_prime, range(first, min(first + PIECE_NUMBERS, below))))
            self.pieces += 1
        return {"primes": count}

    async def fail(self, params):
        code, message = member(params, "code"), member(params, "message")
        if type(code) is not int or not isinstance(message, str):
            raise Failure(INVALID_PARAMS, '"code" has to be a whole number and "message" a text')
        raise Failure(code, message)

    async def crash(self, params):
        raise RuntimeError("a mistake that nobody thought of")

    async def abandon(self, params):
        part = asyncio.create_task(asyncio.sleep(1))
        part.cancel()
        await part

    async def stats(self, params):
        return {"started": self.started, "finished": self.finished, "cancelled": self.cancelled,
                "open": self.started - self.finished - self.cancelled, "pieces": self.pieces}


def is_prime(number):
    return number > 1 and all(number % divisor for divisor in range(2, math.isqrt(number) + 1))


def member(params, name):
    return params.get(name) if isinstance(params, dict) else None


def whole_number(params, name, most):
    value = member(params, name)
    if type(value) is not int or not 0 <= value <= most:
        raise Failure(INVALID_PARAMS, f'"{name}" has to be a whole number from 0 to {most}')
    return value


def refuse(text):
    raise ValueError(f"{text} is nothing that can be said in JSON again")


def finite(text):
    return float(text) if math.isfinite(float(text)) else refuse(text)


def parse(line):
    try:
        return json.loads(line.decode(), parse_float=finite, parse_constant=refuse)
    except (ValueError, RecursionError):
        raise Failure(PARSE_ERROR, "Parse error") from None


def check_envelope(message):
    if message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str):
        raise Failure(INVALID_REQUEST, 'A request has "jsonrpc":"2.0" and a method')
    if not isinstance(message.get("params"), (dict, list, type(None))):
        raise Failure(INVALID_REQUEST, "Params are an object or an array")


def was_cancelled(task):
    """Whether its caller did it: a part of the work that was cancelled ends it likewise."""
    return task.cancelled() and task.cancelling() > 0


def outcome(task):
    """The members of an answer that say how the work ended."""
    if was_cancelled(task):
        return failed(Failure(CANCELLED, "Request cancelled"))
    try:
        return {"result": task.result()}
    except (Exception, asyncio.CancelledError) as error:
        if isinstance(error, Failure) and error.code != CANCELLED:
            return failed(error)
        logging.exception("a request failed")
        return failed(Failure(INTERNAL_ERROR, "Internal error"))


def failed(failure):
    return {"error": {"code": failure.code, "message": failure.message}}


class Connection(asyncio.Protocol):
    """What is open on one connection: a task for each request, by its id."""

    def __init__(self, server):
        self.server = server
        self.rest = bytearray()  # The beginning of the next line.
        self.open = {}
        self.is_left = False
        self.lost = asyncio.get_running_loop().create_future()

    def connection_made(self, transport):
        self.transport = transport
        self.server.connections.add(self)

    def eof_received(self):
        # The connection is lost only when all answers are read.
        self.leave()

    def connection_lost(self, error):
        self.server.connections.discard(self)
        self.lost.set_result(None)
        if not self.is_left:
            self.leave()

    def leave(self):
        """Once only: a second cancel would disturb what is being cleaned up behind the first."""
        self.is_left = True
        for task in self.open.values():
            task.cancel()

    # Who does not read answers is not listened to: the answers would pile up here.
    def pause_writing(self):
        self.transport.pause_reading()

    def resume_writing(self):
        self.transport.resume_reading()

    def data_received(self, data):
        lines = []
        self.rest += data
        if b"\n" in data:
            *lines, self.rest = self.rest.split(b"\n")
        if max(map(len, (self.rest, *lines))) > LINE_LIMIT_BYTES:
            self.transport.abort()
            return
        for line in lines:
            if line.strip():
                self.hear(line)

    def hear(self, line):
        identifier = None
        try:
            message = parse(line)
            if not isinstance(message, dict):
                raise Failure(INVALID_REQUEST, "A message is one object")
            if "method" not in message and ("result" in message or "error" in message):
                return  # An answer, though nothing was asked.
            if isinstance(message.get("id"), (bool, dict, list)):
                raise Failure(INVALID_REQUEST, "An id is a text or a number")
            identifier = message.get("id")
            check_envelope(message)
        except Failure as failure:
            self.answer(identifier, failed(failure))
            return
        if "id" in message:
            self.request(identifier, message["method"], message.get("params"))
        else:
            self.notification(message["method"], message.get("params"))

    def request(self, identifier, method, params):
        try:
            # As JSON: 1, 1.0, "1" and true are four, but some of them are the same key of a dictionary.
            self.begin(json.dumps(identifier), method, params, lambda task: self.answer(identifier, outcome(task)))
        except Failure as failure:
            self.answer(identifier, failed(failure))

    def notification(self, method, params):
        if method == "$/cancelRequest":
            self.cancel(params)
            return
        # Nobody hears of it if this is refused.
        with contextlib.suppress(Failure):
            self.begin(object(), method, params, outcome)

    def cancel(self, params):
        # No id is none, not the id null.
        if isinstance(params, dict) and "id" in params:
            task = self.open.get(json.dumps(params["id"]))
            if task and not self.server.ignores_cancel:
                task.cancel()

    def begin(self, key, method, params, ended):
        work = self.server.work
        if method not in work.methods:
            raise Failure(METHOD_NOT_FOUND, "Method not found")
        if key in self.open:
            raise Failure(INVALID_REQUEST, "A request with this id is open")
        if len(self.open) >= OPEN_LIMIT:
            raise Failure(REFUSED, "Too many open requests")
        if self.server.stopping.is_set():
            raise Failure(REFUSED, "Shutting down")
        # What is done at the end is no part of the task: one that is cancelled before it began never runs.
        task = self.open[key] = asyncio.create_task(work.methods[method](params))
        task.add_done_callback(lambda task: self.end(key))
        task.add_done_callback(ended)
        work.started += 1

    def end(self, key):
        if was_cancelled(self.open.pop(key)):
            self.server.work.cancelled += 1
        else:
            self.server.work.finished += 1

    def answer(self, identifier, members):
        if self.transport.is_closing():
            return
        try:
            text = json.dumps({"jsonrpc": "2.0", "id": identifier, **members})
        except (ValueError, TypeError, RecursionError):
            logging.exception("a result is nothing that can be said in JSON")
            self.answer(identifier, failed(Failure(INTERNAL_ERROR, "Internal error")))
        else:
            self.transport.write(text.encode() + b"\n")


class Server:
    """What all connections share."""

    def __init__(self, ignores_cancel):
        self.ignores_cancel = ignores_cancel
        self.work = Work()
        self.connections = set()
        self.stopping = asyncio.Event()

    async def listen(self, host, port, path):
        """The listener, and its address as the gateway's --upstream takes it."""
        loop = asyncio.get_running_loop()
        if path:
            # It takes the place of a socket that was left behind.
            return await loop.create_unix_server(lambda: Connection(self), path), f"unix:{path}"
        listener = await loop.create_server(lambda: Connection(self), host, port)
        return listener, "tcp:%s:%d" % listener.sockets[0].getsockname()[:2]

    async def finish(self):
        """Lets what is open end, cancels what takes too long, and says goodbye."""
        tasks = [task for connection in self.connections for task in connection.open.values()]
        if tasks:
            await asyncio.wait(tasks, timeout=GRACE_SECONDS)
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks, timeout=FLUSH_SECONDS)
        leaving = [connection.lost for connection in self.connections]
        for connection in self.connections:
            connection.transport.close()
        if leaving:
            await asyncio.wait(leaving, timeout=FLUSH_SECONDS)


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDRESS",
                        help="an IPv4 address to listen on; else 127.0.0.1: it asks nobody who they are")
    parser.add_argument("--port", type=int, default=0, help="port there; any free one by default")
    parser.add_argument("--unix", metavar="PATH", help="a Unix socket instead")
    parser.add_argument("--ignore-cancel", action="store_true", help="be a bad example")
    arguments = parser.parse_args()

    server = Server(arguments.ignore_cancel)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, server.stopping.set)
    try:
        listener, address = await server.listen(arguments.host, arguments.port, arguments.unix)
        own = os.lstat(arguments.unix) if arguments.unix else None
    except (OSError, OverflowError) as error:
        sys.exit(f"error: {error}")
    print(address, flush=True)
    await server.stopping.wait()
    listener.close()
    # Unless another has put its own there by now.
    with contextlib.suppress(FileNotFoundError):
        if arguments.unix and os.path.samestat(own, os.lstat(arguments.unix)):
            os.unlink(arguments.unix)
    await server.finish()


if __name__ == "__main__":
    asyncio.run(main())
