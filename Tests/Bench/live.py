"""What it costs that somebody has the live page open."""
import re
import socket
import sys
from contextlib import ExitStack
from statistics import median

from programs import LOAD_CORE, Program
from systems import WATCHED
from throughput import Cell, ratios, sample

# Two hundred keys, and as many requests as the gateway takes.
CELL = Cell(200, 1, 150)
READER = """
import socket, sys
page = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
page.sendall(b"GET /events HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
while page.recv(1 << 20):
    pass
"""


class Cost:
    """Rounds with and without the page, one beside the other."""

    def __init__(self, watched, alone, told):
        self.rate, self.cpu = (median(ratios(watched, alone, field)) for field in ("rate", "cpu"))
        self.requests = median(one.rate for one in alone)
        self.told, self.merged = told


def measure(systems, upstream, load, rounds, seconds, log):
    with ExitStack() as stack:
        alone, watched = (
            stack.enter_context(systems.start(name, upstream.port)) for name in ("lastword", WATCHED))
        admin = re.search(r"Admin pages on http:.*?127\.0\.0\.1:(\d+)", watched.program.log.read_text())[1]
        stack.enter_context(Program([sys.executable, "-c", READER, admin], LOAD_CORE))
        samples = {alone: [], watched: []}
        for number in range(rounds):
            log(f"round {number + 1} of {rounds}: {CELL.title}, {CELL.size}, with the live page and without")
            for system in (alone, watched) if number % 2 else (watched, alone):
                samples[system].append(sample(system, upstream, load, CELL, seconds))
        return Cost(samples[watched], samples[alone], events(int(admin)))


def events(admin):
    """Events that the page was told, and those that found no place."""
    with socket.create_connection(("127.0.0.1", admin)) as page:
        page.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        text = b"".join(iter(lambda: page.recv(1 << 16), b"")).decode()
    names = "lastword_live_events_sent_total", "lastword_live_events_merged_total"
    return [int(re.search(rf"^{name} (\d+)$", text, re.MULTILINE)[1]) for name in names]


def show(cost):
    print(f"\nlastword with its live page open, against without: {CELL.title}, {CELL.size}, 200 keys")
    print(f"{cost.requests:,.0f} req/s without; {cost.rate:.3f} of that, and {cost.cpu:.3f} of its CPU time, with it;")
    print(f"the page was told of {cost.told:,} events, and that there were {cost.merged:,} more")
