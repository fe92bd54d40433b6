"""What a handler bears: long lines, many requests, peers that do not read."""
import contextlib
import threading

from peer import PATIENCE_SECONDS, eventually, expect
from scene import CANCELLED, LONG, REFUSED, free_of_work, serving

LINE_LIMIT_BYTES = 1 << 20
OPEN_LIMIT = 1000
FLOOD_BYTES = 48 << 20


def long_lines():
    """A line of 1 MiB is served; one byte more, with or without an end, closes this connection and no other."""
    with serving() as (handler, peer):
        start, end = b'{"jsonrpc":"2.0","id":"l","method":"echo","params":["', b'"]}'
        pad = LINE_LIMIT_BYTES - len(start) - len(end)
        peer.open.add('"l"')
        peer.write(start + b"x" * pad + end + b"\n")
        expect(peer.result("l") == ["x" * pad], "a long line is another")
        for line in (start + b"x" * (pad + 1) + end + b"\n", b"x" * (LINE_LIMIT_BYTES + 2)):
            with handler.connect() as other:
                other.request(*LONG)
                other.expect_served()
                with contextlib.suppress(OSError):
                    other.write(line)
                other.expect_closed()
            peer.expect_served()
        free_of_work(handler, peer, cancelled=2)


def open_requests():
    """So many of a connection are open at once; further ones are refused, and ids that are open, too."""
    with serving() as (handler, peer), handler.connect() as other:
        asked = [peer.prepare(*LONG) for _ in range(OPEN_LIMIT)]
        peer.write(b"".join(line for _, line in asked))
        other.expect_stats(open=OPEN_LIMIT + 1)
        for method, params in (LONG, ("echo", [1])):
            peer.expect_code(peer.request(method, params), REFUSED)
        peer.notify(*LONG)
        other.expect_served()
        peer.cancel(asked[500][0])
        peer.expect_code(asked[500][0], CANCELLED)
        expect(peer.call("echo", [1]) == [1], "echo changes [1]")
        again = asked[0][0]
        peer.write(peer.line("echo", [1], id=again))
        message = peer.message()
        expect(message["id"] == again and message.get("error", {}).get("code") == -32600, f"{message}: an id twice")
        peer.cancel(again)
        peer.expect_code(again, CANCELLED)
        other.expect_stats(open=OPEN_LIMIT - 1, cancelled=2)


def unread():
    """Who does not read his answers is not listened to any more, so that they do not pile up; others are."""
    with serving() as (handler, peer), handler.connect() as other:
        line = peer.line("echo", {"pad": "x" * 100_000}, id=0)

        def flood():
            # A handler that is gone, or never reads again, is found out by what it does not answer.
            with contextlib.suppress(OSError):
                for n in range(FLOOD_BYTES // len(line)):
                    peer.write(peer.line("echo", {"pad": "x" * 100_000}, id=n))

        writer = threading.Thread(target=flood, daemon=True)
        writer.start()

        def is_stuck():
            expect(writer.is_alive(), "everything was taken though no answer was read")
            # A writer that only waits for its turn of a busy machine could still write.
            return all(handler.is_asleep() and not peer.can_write() for _ in range(100))
        eventually(is_stuck, "nothing more is taken")
        other.expect_served()
        peer.open = {str(n) for n in range(FLOOD_BYTES // len(line))}
        for n in range(FLOOD_BYTES // len(line)):
            peer.result(n)
        writer.join(PATIENCE_SECONDS)
        peer.expect_served()


CHECKS = (long_lines, open_requests, unread)
