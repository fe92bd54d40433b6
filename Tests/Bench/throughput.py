"""Requests per second: every system gets every cell once in a round, in rotating order."""
import sys
from collections import defaultdict
from dataclasses import dataclass
from statistics import median

from programs import Failed

YARDSTICK = "passthrough"
WARM_UP_SHARE = 0.25
# A proxy that wanted less of its core was not alone the limit; one request at a time never is.
BUSY_SHARE = 0.95
# When more of a core went to others, a sample is taken again.
DISTURBED_SHARE, ATTEMPTS = 0.05, 3


@dataclass(frozen=True)
class Cell:
    connections: int
    depth: int
    bytes: int

    @property
    def title(self):
        return f"{self.connections}x{self.depth}"

    @property
    def size(self):
        return "2 KB" if self.bytes == 2048 else f"{self.bytes} B"


SHAPES, SIZES = [(1, 1), (64, 1), (64, 16)], [150, 2048]
CELLS = [Cell(*shape, size) for shape in SHAPES for size in SIZES]


class Sample:
    """One run of one cell against one system."""

    def __init__(self, line):
        requests, seconds = max(line["requests"], 1), line["seconds"]
        proxy, upstream, load = line["watched"]
        self.rate = requests / seconds
        self.p50, self.p99 = line["p50"], line["p99"]
        self.cpu = proxy["ran"] / requests * 1e6
        self.load_cpu = (upstream["ran"] + load["ran"]) / requests * 1e6
        self.proxy_busy, self.load_busy = proxy["ran"] / seconds, (upstream["ran"] + load["ran"]) / seconds
        self.wanted = (proxy["ran"] + proxy["waited"]) / seconds
        # The load and its upstream share a core: only what neither waited for the other was taken by others.
        waited = (proxy["waited"], upstream["waited"] - load["ran"], load["waited"] - upstream["ran"])
        self.foreign = max(0, *waited) / seconds


def ratios(samples, others, field):
    return [getattr(one, field) / getattr(other, field) for one, other in zip(samples, others)]


class Row:
    """A system's rounds in one cell, against the yardstick's of the same rounds."""

    def __init__(self, cell, name, samples, yardstick):
        self.cell, self.name, self.samples, self.yardstick = cell, name, samples, yardstick

    def ratios(self, field):
        return ratios(self.samples, self.yardstick, field)

    def ratio(self, field):
        return median(self.ratios(field))

    def ratio_to(self, other, field):
        return median(ratios(self.samples, other.samples, field))

    def middle(self, field):
        return median(getattr(one, field) for one in self.samples)

    def note(self):
        notes = []
        if self.middle("foreign") > DISTURBED_SHARE:
            notes.append(f"disturbed: others took {self.middle('foreign'):.0%} of a core")
        if self.middle("wanted") < BUSY_SHARE and self.cell.connections > 1:
            notes.append("the load was the limit, too")
        return "; ".join(notes)


def sample(system, upstream, load, cell, seconds):
    """Others use the machine, too: the least disturbed of a few attempts."""
    attempts = []
    while len(attempts) < ATTEMPTS and not any(one.foreign <= DISTURBED_SHARE for one in attempts):
        try:
            line = load.run(
                system.port, connections=cell.connections, depth=cell.depth, bytes=cell.bytes,
                warm_up=seconds * WARM_UP_SHARE, seconds=seconds, watch=[system.pid, upstream.pid, 0])
        except Failed as failure:
            raise Failed(f"{system.name}, {cell.title}, {cell.size}: {failure}") from None
        attempts.append(Sample(line))
    return min(attempts, key=lambda one: one.foreign)


def measure(cells, systems, upstream, load, rounds, seconds, log):
    """Gives the rows, cell by cell."""
    samples = defaultdict(list)
    for number in range(rounds):
        for cell in cells:
            for system in systems[number % len(systems):] + systems[:number % len(systems)]:
                log(f"round {number + 1} of {rounds}: {cell.title}, {cell.size}, {system.name}")
                samples[cell, system.name].append(sample(system, upstream, load, cell, seconds))
    return [
        Row(cell, system.name, samples[cell, system.name], samples[cell, YARDSTICK])
        for cell in cells for system in systems]


INTRODUCTION = """
Against the pass-through proxy of the same round: the median of the rounds (smallest to largest).
lastword's lead, where it has one, comes from multiplexing: all clients share one upstream connection,
so it makes fewer system calls than a proxy that has an upstream connection for each client.
CPU time is what the proxy needs for a request, user and kernel; busy are the proxy's core and the load's."""
COLUMNS = "{:<17} {:>9} {:>6} {:>13} {:>6} {:>6} {:>8} {:>6} {:>6} {:>6}  {}"

TITLES = ["req/s", "ratio", "", "p50", "p99", "CPU", "ratio", "busy", "load", ""]


def show(rows):
    print(INTRODUCTION)
    for row in rows:
        if row.name == YARDSTICK:
            print(f"\n{row.cell.title} (connections x depth), {row.cell.size}")
            print(COLUMNS.format("", *TITLES).rstrip())
        rates = row.ratios("rate")
        print(COLUMNS.format(
            row.name, f"{row.middle('rate'):,.0f}", f"{row.ratio('rate'):.2f}",
            f"({min(rates):.2f}-{max(rates):.2f})", f"{row.ratio('p50'):.2f}", f"{row.ratio('p99'):.2f}",
            f"{row.middle('cpu'):.2f} µs", f"{row.ratio('cpu'):.2f}", f"{row.middle('proxy_busy'):.0%}",
            f"{row.middle('load_busy'):.0%}", row.note()).rstrip())
    sys.stdout.flush()
