"""What a request costs with several loops, where most of what one is asked is another's: user instructions, and CPU time.

Each request draws one of 10,000 keys at random, which all connections share. CPU time is measured twice. When busy, all
loops are on one core, the load and its upstream are on the other, and the loops have more to do than they can. When not,
nothing is pinned, and a load that checks more takes most of both cores: then the loops wait, and each does little at a
time.
"""
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

from counts import BYTES, CONNECTIONS, DEPTH, instructions
from programs import PATIENCE_SECONDS, Load, Upstream, cpu_seconds, run_to_end, start_and_read_port

LOOPS = {
    "lastword": "1", "lastword-2-loops": "2", "lastword-4-loops-at-once": "4, written at once", "lastword-4-loops": "4"}
KEYS = 10_000
TIMED_REQUESTS = 200_000
WARM_UP_REQUESTS, BUSY_REQUESTS = 50_000, 500_000


@dataclass
class Row:
    title: str
    instructions: float
    # Of loops that have more to do than they can.
    busy_microseconds: float
    # Of loops that mostly wait.
    idle_microseconds: float


class RandomKeys(Load):
    """The load of the other parts, with keys at random."""

    def run(self, port, **options):
        return super().run(port, keys=KEYS, **options)


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


def idle_microseconds(systems, name, load):
    with unpinned(systems), systems.start(name, load.port) as system:
        before = cpu_seconds([system.pid])
        load.run(system.port, CONNECTIONS, DEPTH, TIMED_REQUESTS)
        return (cpu_seconds([system.pid]) - before) / TIMED_REQUESTS * 1e6


def busy_microseconds(systems, name, upstream, load):
    shape = {"connections": CONNECTIONS, "depth": DEPTH, "bytes": BYTES}
    with systems.start(name, upstream.port) as system:
        load.run(system.port, requests=WARM_UP_REQUESTS, **shape)
        before = cpu_seconds([system.pid])
        load.run(system.port, requests=BUSY_REQUESTS, **shape)
        return (cpu_seconds([system.pid]) - before) / BUSY_REQUESTS * 1e6


def measure(systems, rounds, log):
    quick = RandomKeys(systems.directory)
    with SharedKeys(systems.binary) as load, Upstream(systems.directory) as upstream:
        counted = {}
        for name in LOOPS:
            log(f"loops: {name}, instructions")
            counted[name] = instructions(systems, name, upstream, quick)
        busy, idle = ({name: [] for name in LOOPS} for _ in range(2))
        for number in range(rounds):
            log(f"loops: round {number + 1} of {rounds}")
            for name in LOOPS:
                busy[name].append(busy_microseconds(systems, name, upstream, quick))
                idle[name].append(idle_microseconds(systems, name, load))
    log("")
    return [
        Row(title, counted[name], median(busy[name]), median(idle[name])) for name, title in LOOPS.items()]


def show(rows):
    columns = "{:<20} {:>12} {:>6} {:>11} {:>6} {:>11} {:>6}"
    print(f"\nlastword, {CONNECTIONS}x{DEPTH}, {BYTES} B, {KEYS:,} keys at random: what a request costs")
    print(columns.format("loops", "instructions", "", "CPU, busy", "", "CPU, not", ""))
    first = rows[0]
    for row in rows:
        print(columns.format(
            row.title, f"{row.instructions:,.0f}", f"{row.instructions / first.instructions:.2f}",
            f"{row.busy_microseconds:.2f} µs", f"{row.busy_microseconds / first.busy_microseconds:.2f}",
            f"{row.idle_microseconds:.2f} µs", f"{row.idle_microseconds / first.idle_microseconds:.2f}"))
