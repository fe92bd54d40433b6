"""What a piece of an answer costs: CPU time beside that of a proxy that passes the same bytes on.

64 requests are open, one on each connection, and upstream gives pieces of some 200 bytes to each of them, every
millisecond, or all at once. lastword carries all of them over one connection to upstream, the others over 64. Nothing is
pinned: the load client and its upstream take the cores that there are.
"""
import subprocess
from dataclasses import dataclass
from statistics import median

from loops import unpinned
from programs import PATIENCE_SECONDS, cpu_seconds, run_to_end, start_and_read_port

SYSTEMS = ["passthrough", "lastword", "haproxy"]
STREAMS = 64
PIECES = 100
PADDING = 100
# By the milliseconds between two pieces: so many requests.
PACES = {1: 1_280, 0: 25_600}


@dataclass
class Row:
    milliseconds: int
    microseconds: dict

    @property
    def ratio(self):
        return self.microseconds["lastword"] / self.microseconds["passthrough"]


def microseconds(systems, name, binary, port, pace):
    with unpinned(systems), systems.start(name, port) as system:
        before = cpu_seconds([system.pid])
        run_to_end(
            [binary, "load", "--to", f"127.0.0.1:{system.port}", "--connections", STREAMS, "--depth", 1, "--no-keys",
             "--padding", 0, "--pieces", PIECES, "--piece-ms", pace, "--piece-padding", PADDING,
             "--requests", PACES[pace], "--seconds", PATIENCE_SECONDS], None)
        return (cpu_seconds([system.pid]) - before) / (PACES[pace] * PIECES) * 1e6


def measure(systems, rounds, log):
    upstream, port = start_and_read_port([systems.binary, "load", "upstream"], None, stderr=subprocess.DEVNULL)
    try:
        timed = {pace: {name: [] for name in SYSTEMS} for pace in PACES}
        for number in range(rounds):
            log(f"pieces: round {number + 1} of {rounds}")
            for pace in PACES:
                for name in SYSTEMS:
                    timed[pace][name].append(microseconds(systems, name, systems.binary, port, pace))
    finally:
        upstream.end()
    log("")
    return [Row(pace, {name: median(times) for name, times in found.items()}) for pace, found in timed.items()]


def show(rows):
    columns = "{:>14}" + " {:>14}" * len(SYSTEMS) + " {:>12}"
    print(f"\npieces of some 200 B, {STREAMS} requests at once: CPU time of each")
    print(columns.format("a piece", *SYSTEMS, "lastword to"))
    print(columns.format("every", *[""] * len(SYSTEMS), "passthrough"))
    for row in rows:
        pace = f"{row.milliseconds} ms" if row.milliseconds else "at once"
        times = [f"{row.microseconds[name]:.2f} µs" for name in SYSTEMS]
        print(columns.format(pace, *times, f"{row.ratio:.2f}"))
