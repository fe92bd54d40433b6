"""A handler behind a real gateway: what the gateway takes back really stops, and what comes after it is served."""
import contextlib
import os
import tempfile

from peer import Peer, eventually, expect
from scene import CANCELLED, HARD, LONG, Handler, free_of_work, until_working
from typeahead import Gateway

SUPERSEDED, UNAVAILABLE = -32080, -32084


def task(key, policy="cancel", **others):
    return {"key": key, "policy": policy, **others}


@contextlib.contextmanager
def serving(*options):
    """The handler, a connection to it that sees what becomes of the work, and a way to connect to the gateway."""
    with contextlib.ExitStack() as running:
        handler = Handler(*options)
        running.callback(handler.kill)
        gateway = Gateway("--upstream", handler.address)
        running.callback(gateway.kill)
        witness = running.enter_context(handler.connect())
        yield handler, witness, lambda: running.enter_context(Peer(f"tcp:{gateway.address}"))


def superseded():
    """A newer request of another client takes the place of an older one, whose work stops."""
    with tempfile.TemporaryDirectory() as directory:
        for options in ((), ("--unix", os.path.join(directory, "handler.sock"))):
            with serving(*options) as (handler, witness, connect):
                older, newer = connect(), connect()
                for count, work in enumerate((LONG, HARD), start=1):
                    request = older.request(*work, task=task("k"))
                    witness.expect_stats(open=2)
                    expect(newer.call("echo", [count], task=task("k")) == [count], "echo changes [1]")
                    older.expect_code(request, SUPERSEDED)
                    free_of_work(handler, witness, cancelled=count)


def typing():
    """Each of many requests supersedes the one before; only the last has a result, and nothing is left behind."""
    with serving() as (handler, witness, connect):
        client = connect()
        older = [client.request(*work, task=task("box")) for work in (LONG, HARD) * 25]
        expect(client.call("primes", {"below": 1000}, task=task("box")) == {"primes": 168}, "1000 are counted wrong")
        for request in older:
            client.expect_code(request, SUPERSEDED)
        free_of_work(handler, witness)


def keys():
    """Work of two keys does not disturb each other; what its own client takes back stops."""
    with serving() as (handler, witness, connect):
        one, other = connect(), connect()
        first = one.request(*HARD, task=task("a"))
        second = other.request(*HARD, task=task("b"))
        witness.expect_stats(open=3)
        until_working(witness)
        one.cancel(first)
        one.expect_code(first, CANCELLED)
        witness.expect_stats(open=2, cancelled=1)
        until_working(witness)
        third = other.request(*LONG, task=task("b"))
        other.expect_code(second, SUPERSEDED)
        witness.expect_stats(open=2, cancelled=2)
        other.cancel(third)
        other.expect_code(third, CANCELLED)
        free_of_work(handler, witness, cancelled=3)


def cancel_and_wait():
    """What waits for the older one begins when that has really ended, not before."""
    with serving() as (handler, witness, connect):
        older, newer = connect(), connect()
        for count, work in enumerate((LONG, HARD), start=1):
            request = older.request(*work, task=task("k", "cancelAndWait"))
            witness.expect_stats(open=2)
            # The gateway is patient: without an answer to what was cancelled this one would not begin.
            patient = task("k", "cancelAndWait", drainMs=10_000)
            stats = newer.call("stats", task=patient)
            expect(stats["open"] == 1 and stats["cancelled"] == count, f"the older one was still there: {stats}")
            older.expect_code(request, SUPERSEDED)
        free_of_work(handler, witness, cancelled=2)


def client_gone():
    """Nobody works for a client that is gone."""
    with serving() as (handler, witness, connect):
        client = connect()
        client.request(*LONG, task=task("k"))
        client.request(*HARD)
        witness.expect_stats(open=3)
        client.reset()
        free_of_work(handler, witness, cancelled=2)


def is_served(client):
    return "result" in client.answer(client.request("echo", [1]))


def killed():
    """A handler that dies at work costs what was open there; when it is back, the gateway finds it."""
    with serving() as (handler, witness, connect):
        client = connect()
        open_requests = [client.request(*work, task=task("k", "concurrent")) for work in (LONG, HARD)]
        witness.expect_stats(open=3)
        handler.kill()
        for request in open_requests:
            error = client.answer(request).get("error", {})
            expect(error.get("code") == UNAVAILABLE and error["data"]["upstream"] == "mayHaveCompleted", f"{error}")
        successor = handler.restarted()
        try:
            expect_successor(successor, handler, client)
        finally:
            successor.kill()


def expect_successor(successor, handler, client):
    expect(successor.address == handler.address, f"it listens on {successor.address} now")
    eventually(lambda: is_served(client), "the gateway finds the handler again")
    with successor.connect() as witness:
        request = client.request(*HARD, task=task("k"))
        witness.expect_stats(open=2)
        client.call("echo", [1], task=task("k"))
        client.expect_code(request, SUPERSEDED)
        free_of_work(successor, witness, cancelled=1)


def replaced():
    """A handler that is told to stop answers what it has begun; the next one takes over."""
    with serving() as (handler, witness, connect):
        client = connect()
        request = client.request("sleep", {"ms": 500})
        # What is answered came behind it: it has begun.
        client.expect_served()
        handler.stop()
        expect(client.result(request) == {"ms": 500}, "what was open has another result")
        handler.expect_end()
        successor = handler.restarted()
        try:
            expect_successor(successor, handler, client)
        finally:
            successor.kill()


CHECKS = (superseded, typing, keys, cancel_and_wait, client_gone, killed, replaced)
