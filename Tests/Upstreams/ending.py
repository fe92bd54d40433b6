"""How a handler begins and ends."""
import os
import pathlib
import signal
import subprocess
import tempfile

from peer import PATIENCE_SECONDS, Peer, eventually, expect
from scene import CANCELLED, HARD, LONG, REFUSED, Handler, free_of_work, serving, until_working


def is_refused(address):
    """Whether nobody listens at that address any more. Nothing is asked there: who is let in as the last may be forgotten."""
    try:
        with Peer(address):
            return False
    except OSError:
        return True


def terminated():
    """SIGTERM: nothing new is taken, what is open may end, what takes too long is cancelled, and the status is 0."""
    for number in (signal.SIGTERM, signal.SIGINT):
        with serving() as (handler, peer):
            handler.stop(by=number)
            peer.expect_closed()
            handler.expect_end()
    with serving() as (handler, peer):
        asked = [peer.request(*work) for work in (LONG, HARD)]
        short = peer.request("sleep", {"ms": 1000})
        # What is answered came behind them: all three have begun.
        peer.expect_served()
        handler.stop()
        eventually(lambda: is_refused(handler.address), "new connections are refused")
        message = peer.answer(peer.request("echo"))
        expect(message.get("error", {}).get("code") == REFUSED, f"something new was taken: {message}")
        expect(peer.result(short) == {"ms": 1000}, "what was open has another result")
        for identifier in asked:
            peer.expect_code(identifier, CANCELLED)
        peer.expect_closed()
        handler.expect_end()


def unix_socket():
    """The same over a Unix socket, which is removed at the end, and replaced if another has left it behind."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "handler.sock")
        with serving("--unix", path) as (handler, peer):
            expect(handler.address == f"unix:{path}", f"{handler.address} was printed")
            peer.expect_served()
            identifier = peer.request(*HARD)
            until_working(peer)
            peer.cancel(identifier)
            peer.expect_code(identifier, CANCELLED)
            free_of_work(handler, peer, cancelled=1)
        expect(os.path.exists(path), "what is killed removes nothing")
        with serving("--unix", path) as (handler, peer):
            peer.expect_served()
            handler.stop()
            peer.expect_closed()
            handler.expect_end()
        expect(not os.path.exists(path), "the socket is left behind")
        with serving("--unix", path) as (older, peer), serving("--unix", path) as (newer, other):
            older.stop()
            peer.expect_closed()
            older.expect_end()
            expect(os.path.exists(path), "the socket of another is removed")
            with newer.connect() as late:
                late.expect_served()
            newer.stop()
            other.expect_closed()
            newer.expect_end()
        expect(not os.path.exists(path), "the socket of the second is left behind")
        pathlib.Path(path).write_text("mine")
        expect_no_start("--unix", path)
        expect(pathlib.Path(path).read_text() == "mine", "a file was overwritten")


def expect_no_start(*options):
    ended = subprocess.run([*Handler.words, *options], stdin=subprocess.DEVNULL, text=True, timeout=PATIENCE_SECONDS,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    expect(ended.returncode > 0 and ended.stdout == "" and 0 < ended.stderr.count("\n") <= 10,
           f"{options}: status {ended.returncode}, {ended.stdout!r}, {ended.stderr!r}")


def not_started():
    """What cannot be listened on, or is no option, is said on standard error, in a few lines."""
    with serving() as (handler, _):
        expect_no_start("--port", handler.address.rsplit(":", 1)[1])
    for options in (["--port", "x"], ["--port", "65536"], ["--port", "-1"], ["--port"], ["--nothing"], ["--unix"],
                    ["--unix", "/nowhere/handler.sock"]):
        expect_no_start(*options)


CHECKS = (terminated, unix_socket, not_started)
