"""What a request costs with several loops, where most of what one is asked is another's: user instructions, and CPU time.

The load client draws 10,000 keys at random, which all connections share. Nothing is pinned: the loops, the load and the
upstream take the cores that there are.
"""
import os
import re
import statistics
import subprocess
from dataclasses import dataclass

from counts import CALLGRIND, COLLECTED, UNHURRIED, stripped
from programs import PATIENCE_SECONDS, Failed

LOOPS = [1, 2, 4]
CONNECTIONS, DEPTH, KEYS = 64, 16, 10_000
COUNTED_RUNS = 20_000, 60_000
TIMED_REQUESTS = 200_000
LOAD = ["--connections", CONNECTIONS, "--depth", DEPTH, "--keys", KEYS, "--shared-keys", "--policy", "concurrent",
        "--several-loops", "--seconds", PATIENCE_SECONDS]


@dataclass
class Row:
    loops: int
    instructions: float
    microseconds: float


class Child:
    """A process of the program itself; `with` ends it."""

    def __init__(self, words, pattern, **options):
        self.process = subprocess.Popen(list(map(str, words)), text=True, **options)
        self.text, stream = "", self.process.stdout or self.process.stderr
        for line in stream:
            self.text += line
            if found := re.search(pattern, self.text):
                self.found = found[1]
                return
        raise Failed(f"{words[-1]} did not start: {self.text}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        """Gives what it said to its end."""
        if self.process.poll() is None:
            self.process.terminate()
        try:
            said, errors = self.process.communicate(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            said, errors = self.process.communicate()
        self.text += (said or "") + (errors or "")
        return self.text

    def cpu_seconds(self):
        tasks = f"/proc/{self.process.pid}/task"
        return sum(int(open(f"{tasks}/{task}/schedstat").read().split()[0]) for task in os.listdir(tasks)) / 1e9


def upstream(binary):
    return Child([binary, "load", "upstream"], r"(127\.0\.0\.1:\d+)", stdout=subprocess.PIPE)


def gateway(systems, address, loops, wrapper=(), environment=None):
    words = [*wrapper, systems.binary, "serve", "--listen", "127.0.0.1:0", "--upstream", f"tcp:{address}"]
    environment = {
        **systems.bounds(systems.tasks), **(environment or {}), "LASTWORD_LOOPS": str(loops),
        "LASTWORD_LOG_FORMAT": "text"}
    return Child(words, r"Listening for JSON-RPC on (127\.0\.0\.1:\d+)", stderr=subprocess.PIPE, env=environment)


def ask(binary, address, requests):
    words = [binary, "load", "--to", address, *LOAD, "--requests", requests]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"the load through {address} failed: {done.stdout[-500:]}{done.stderr[-500:]}")


def instructions(systems, loops):
    collected = []
    with stripped(systems), upstream(systems.binary) as other:
        for requests in COUNTED_RUNS:
            with gateway(systems, other.found, loops, CALLGRIND, UNHURRIED) as measured:
                ask(systems.binary, measured.found, requests)
                collected.append(int(re.search(COLLECTED, measured.end())[1]))
    return (collected[1] - collected[0]) / (COUNTED_RUNS[1] - COUNTED_RUNS[0])


def microseconds(systems, loops):
    with upstream(systems.binary) as other, gateway(systems, other.found, loops) as measured:
        before = measured.cpu_seconds()
        ask(systems.binary, measured.found, TIMED_REQUESTS)
        return (measured.cpu_seconds() - before) / TIMED_REQUESTS * 1e6


def measure(systems, rounds, log):
    counted = {}
    for loops in LOOPS:
        log(f"loops: {loops}, instructions")
        counted[loops] = instructions(systems, loops)
    timed = {loops: [] for loops in LOOPS}
    for number in range(rounds):
        log(f"loops: round {number + 1} of {rounds}")
        for loops in LOOPS:
            timed[loops].append(microseconds(systems, loops))
    log("")
    return [Row(loops, counted[loops], statistics.median(timed[loops])) for loops in LOOPS]


def show(rows):
    columns = "{:>5} {:>14} {:>7} {:>12} {:>7}"
    print(f"\nlastword, {CONNECTIONS}x{DEPTH}, 150 B, {KEYS:,} keys at random: what a request costs")
    print(columns.format("loops", "instructions", "", "CPU time", ""))
    for row in rows:
        print(columns.format(
            row.loops, f"{row.instructions:,.0f}", f"{row.instructions / rows[0].instructions:.2f}",
            f"{row.microseconds:.2f} µs", f"{row.microseconds / rows[0].microseconds:.2f}"))
