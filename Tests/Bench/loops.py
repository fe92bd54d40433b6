"""What a request costs with several loops, where most of what one is asked is another's: user instructions, and CPU time.

The load client draws 10,000 keys at random, which all connections share. For CPU time nothing is pinned: the loops, the
load and the upstream take the cores that there are.
"""
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

from counts import BYTES, CONNECTIONS, DEPTH, instructions
from programs import PATIENCE_SECONDS, cpu_seconds, run_to_end, start_and_read_port

LOOPS = {"lastword": 1, "lastword-2-loops": 2, "lastword-4-loops": 4}
KEYS = 10_000
TIMED_REQUESTS = 200_000


@dataclass
class Row:
    loops: int
    instructions: float
    microseconds: float


class SharedKeys:
    """The load client of lastword itself, as `Load` is run, with its own upstream."""

    def __init__(self, binary):
        self.binary = binary
        self.upstream, self.port = start_and_read_port([binary, "load", "upstream"], None, stderr=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.upstream.end()

    def run(self, port, connections, depth, requests, **_):
        run_to_end(
            [self.binary, "load", "--to", f"127.0.0.1:{port}", "--connections", connections, "--depth", depth,
             "--keys", KEYS, "--shared-keys", "--policy", "concurrent", "--several-loops", "--requests", requests,
             "--seconds", PATIENCE_SECONDS], None)


@contextmanager
def unpinned(systems):
    core, systems.core = systems.core, None
    try:
        yield
    finally:
        systems.core = core


def microseconds(systems, name, load):
    with unpinned(systems), systems.start(name, load.port) as system:
        before = cpu_seconds([system.pid])
        load.run(system.port, CONNECTIONS, DEPTH, TIMED_REQUESTS)
        return (cpu_seconds([system.pid]) - before) / TIMED_REQUESTS * 1e6


def measure(systems, rounds, log):
    with SharedKeys(systems.binary) as load:
        counted = {}
        for name in LOOPS:
            log(f"loops: {name}, instructions")
            counted[name] = instructions(systems, name, load, load)
        timed = {name: [] for name in LOOPS}
        for number in range(rounds):
            log(f"loops: round {number + 1} of {rounds}")
            for name in LOOPS:
                timed[name].append(microseconds(systems, name, load))
    log("")
    return [Row(loops, counted[name], median(timed[name])) for name, loops in LOOPS.items()]


def show(rows):
    columns = "{:>5} {:>14} {:>7} {:>12} {:>7}"
    print(f"\nlastword, {CONNECTIONS}x{DEPTH}, {BYTES} B, {KEYS:,} keys at random: what a request costs")
    print(columns.format("loops", "instructions", "", "CPU time", ""))
    for row in rows:
        print(columns.format(
            row.loops, f"{row.instructions:,.0f}", f"{row.instructions / rows[0].instructions:.2f}",
            f"{row.microseconds:.2f} µs", f"{row.microseconds / rows[0].microseconds:.2f}"))
