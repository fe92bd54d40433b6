"""How a handler cancels: whatever is not wanted any more stops, and is answered once."""
import contextlib
import socket

from peer import expect
from scene import CANCELLED, HARD, LONG, free_of_work, serving, until_working


def cancelled():
    """What waits and what works really stops, and is answered -32800, once."""
    with serving() as (handler, peer):
        for count, (method, params) in enumerate((LONG, HARD), start=1):
            identifier = peer.request(method, params)
            peer.expect_stats(open=2)
            if method == "primes":
                until_working(peer)
            peer.cancel(identifier)
            peer.expect_code(identifier, CANCELLED)
            free_of_work(handler, peer, cancelled=count)
        several = [peer.request(*work) for work in (LONG, HARD) * 10]
        kept = peer.request("primes", {"below": 100_000})
        for identifier in reversed(several):
            peer.cancel(identifier)
        for identifier in several:
            peer.expect_code(identifier, CANCELLED)
        expect(peer.result(kept) == {"primes": 9592}, "what was not cancelled has another result")
        free_of_work(handler, peer, cancelled=22)


def nothing_late():
    """Behind the answer to what was cancelled comes nothing, though its time comes."""
    with serving() as (handler, peer):
        early = [peer.prepare("sleep", {"ms": 500}) for _ in range(10)]
        cancels = [peer.line("$/cancelRequest", {"id": identifier}) for identifier, _ in early]
        peer.write(b"".join([line for _, line in early] + cancels))
        for identifier, _ in early:
            peer.expect_code(identifier, CANCELLED)
        peer.call("sleep", {"ms": 700})
        peer.expect_served()
        free_of_work(handler, peer, cancelled=10)


def before_it_began():
    """A cancel that comes together with its request is heard: the answer is -32800 and nothing runs."""
    with serving() as (handler, peer):
        for method, params in (LONG, HARD) * 3:
            identifier, line = peer.prepare(method, params)
            peer.write(line + peer.line("$/cancelRequest", {"id": identifier}))
            peer.expect_code(identifier, CANCELLED)
        asked = [peer.prepare(*work) for work in (LONG, HARD) * 20]
        peer.write(b"".join(line + peer.line("$/cancelRequest", {"id": identifier}) for identifier, line in asked))
        for identifier, _ in asked:
            peer.expect_code(identifier, CANCELLED)
        free_of_work(handler, peer, cancelled=46)


def harmless():
    """A cancel that comes twice, too late, or for what is not there, changes nothing."""
    with serving() as (handler, peer), handler.connect() as other:
        twice, kept = peer.request(*LONG), peer.request("sleep", {"ms": 3_600_000}, identifier="7")
        cancel = peer.line("$/cancelRequest", {"id": twice})
        peer.write(cancel + cancel)
        peer.expect_code(twice, CANCELLED)
        peer.write(cancel)
        answered = peer.request("echo", [1])
        peer.result(answered)
        other.request(*LONG)
        peer.cancel(None)
        peer.open.add("null")
        peer.write(peer.line(*LONG, id=None))
        for params in ({"id": answered}, {"id": 7}, {"id": 999}, {"id": ["7"]}, {"id": {}}, {"ID": "7"}, {}, [], ["7"],
                       None):
            peer.notify("$/cancelRequest", params)
        other.cancel("7")
        peer.write(b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":7}\n')
        expect(peer.error_without_id() == -32600, "params that are a number are none")
        peer.expect_served()
        other.expect_served()
        peer.expect_stats(cancelled=1, open=4)
        for identifier in (kept, None):
            peer.cancel(identifier)
            peer.expect_code(identifier, CANCELLED)
        expect(peer.call("echo", [2], identifier="7") == [2], "an id cannot be used again")


def disconnected():
    """A connection that is lost, in whatever way, ends everything that was open on it, and nothing else."""
    with serving() as (handler, peer):
        kept = peer.request(*LONG)
        for count, leave in enumerate((lambda other: other.__exit__(), lambda other: other.reset(),
                                       lambda other: other.socket.shutdown(socket.SHUT_WR),
                                       lambda other: other.write(b'{"jsonrpc"') or other.__exit__()), start=1):
            other = handler.connect()
            for work in (LONG, HARD, LONG):
                other.request(*work)
            other.notify(*HARD)
            peer.expect_stats(open=6)
            leave(other)
            peer.expect_stats(open=2, cancelled=4 * count)
            handler.expect_rest()
            other.__exit__()
        peer.cancel(kept)
        peer.expect_code(kept, CANCELLED)
        free_of_work(handler, peer, cancelled=17)


def gone_in_the_middle():
    """Answers to somebody who is gone do no harm."""
    with serving() as (handler, peer):
        for _ in range(20):
            other = handler.connect()
            large = {"pad": "x" * 50_000}
            with contextlib.suppress(OSError):
                other.write(b"".join(other.prepare("echo", large)[1] for _ in range(40)))
                other.write(b"".join(other.prepare("sleep", {"ms": ms})[1] for ms in range(20)))
            other.reset()
        peer.expect_served()
        free_of_work(handler, peer)


CHECKS = (cancelled, nothing_late, before_it_began, harmless, disconnected, gone_in_the_middle)
