"""A handler of examples/upstreams as a process, work for it, and whether it rests."""
import contextlib
import pathlib
import re
import signal
import subprocess

from peer import PATIENCE_SECONDS, Peer, eventually, expect
from typeahead import Program, take

CANCELLED, REFUSED = -32800, -32000
LONG = ("sleep", {"ms": 3_600_000})
HARD = ("primes", {"below": 100_000_000})
# So many looks in a row have to find every thread of a process asleep: one look at several threads is no instant.
LOOKS = 10


class Handler(Program):
    """The program under test."""

    words = []

    def __init__(self, *options):
        self.options = options
        super().__init__([*self.words, *options], "stdout",
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            self.address = take(self.lines, "the address")
            expect(self.address and re.fullmatch(r"tcp:127\.0\.0\.1:\d+|unix:/.+", self.address),
                   f"{self.address!r} was printed, not an address")
        except BaseException:
            # Nobody else knows of it yet.
            self.kill()
            raise

    def connect(self):
        return Peer(self.address)

    def restarted(self):
        self.kill()
        port = ("--port", self.address.rsplit(":", 1)[1])
        return Handler(*(self.options or port))

    def is_asleep(self):
        """Whether no thread computes: they wait, for a peer, for the time or for each other."""
        threads = pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/stat")
        with contextlib.suppress(OSError):
            return all(thread.read_text().rpartition(") ")[2][0] == "S" for thread in threads)
        return False

    def expect_rest(self):
        def all_looks():
            return all(self.is_asleep() for _ in range(LOOKS))
        eventually(all_looks, "the handler rests")

    def stop(self, by=signal.SIGTERM):
        self.process.send_signal(by)

    def expect_end(self):
        rest = take(self.lines, "the end")
        expect(rest is None, f"{rest!r} was printed")
        status = self.process.wait(PATIENCE_SECONDS)
        expect(status == 0, f"the exit status is {status}")


@contextlib.contextmanager
def serving(*options):
    handler = Handler(*options)
    try:
        with handler.connect() as peer:
            yield handler, peer
    finally:
        handler.kill()


def until_working(peer):
    """Work is really being done."""
    before = peer.stats()["pieces"]
    eventually(lambda: peer.stats()["pieces"] > before + 10, "work is done")


def free_of_work(handler, peer, **members):
    """Nothing is open but the asking; nothing computes; and other work makes exactly its own steps."""
    peer.expect_stats(open=1, **members)
    handler.expect_rest()
    before = peer.stats()["pieces"]
    expect(peer.call("primes", {"below": 20_000}) == {"primes": 2262}, "20000 are counted wrong")
    made = peer.stats()["pieces"] - before
    expect(made == 200, f"{made} pieces were made instead of 200: something else is still at work")
