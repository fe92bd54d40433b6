#!/usr/bin/env python3
"""Compares lastword with what else could stand in its place. scripts/bench builds what it needs."""
import argparse
import os
import sys
from contextlib import ExitStack
from pathlib import Path

import counts
import figures
import fleet
import footprint
import live
import loops
import pieces
import shapes
import throughput
import transports
from programs import Failed, Load, Upstream, raise_descriptor_limit
from systems import VARIANTS, Systems

PARTS = [
    *dict.fromkeys(cell.title for cell in throughput.CELLS), "instructions", "allocations", "memory", "keys", "live",
    "shapes", "transports", "loops", "pieces", "fleet"]
# Those that are measured unless parts are named.
USUAL_PARTS = [part for part in PARTS if part not in ("shapes", "transports", "loops", "pieces", "fleet")]
COUNTS = {"instructions": "{:,.0f}", "allocations": "{:.4f}", "idle": "{:,.0f}", "live": "{:,.0f}"}


def read_options():
    options = argparse.ArgumentParser(prog="scripts/bench")
    options.add_argument("--quick", action="store_true", help="three short rounds, in some three minutes")
    # Machines are faster and slower for seconds at a time: what is compared must be measured close together.
    options.add_argument("--rounds", type=int, default=11)
    options.add_argument("--seconds", type=float, default=0.6, help="what a cell is measured for in each round")
    for name, known, usual in [("--only", PARTS, USUAL_PARTS), ("--systems", Systems.NAMES, Systems.NAMES)]:
        options.add_argument(name, type=words(known), default=usual, help="some of " + ",".join(known))
    options.add_argument("--binary", type=Path, required=True, help=argparse.SUPPRESS)
    options.add_argument("--programs", type=Path, required=True, help=argparse.SUPPRESS)
    options.add_argument("--shapes", action="store_const", dest="only", const=["shapes"], help="the same as --only shapes")
    told = options.parse_args()
    if told.quick:
        told.rounds, told.seconds = 3, 0.4
    absent = [name for name, environment in VARIANTS.items() if environment is None]
    told.systems = [name for name in Systems.NAMES if name in told.systems and name not in absent]
    return told


def words(known):
    def split(text):
        chosen = text.split(",")
        if not set(chosen) <= set(known):
            raise argparse.ArgumentTypeError("these are known: " + ",".join(known))
        return chosen
    return split


def log(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def spell(value, form):
    return "-" if value is None else form.format(value)


class Bench:
    """One run of all that was asked for."""

    def __init__(self, told):
        raise_descriptor_limit()
        self.told = told
        self.systems, self.load = Systems(told.binary, told.programs), Load(told.programs)
        self.counted = {name: {} for name in told.systems}
        self.failures = []

    def run(self):
        rows, costs, page, found, carried, several, given, members = self.rates(), {}, *[None] * 6
        with Upstream(self.told.programs) as self.upstream:
            self.count("instructions", "instructions", counts.instructions, Systems.COUNTED)
            self.count("instructions", "alone", counts.instructions_alone, ["lastword"])
            self.count("allocations", "allocations", counts.allocations, Systems.ALLOCATING)
            self.count("memory", "idle", footprint.idle_bytes, Systems.NAMES)
            self.count("memory", "live", footprint.live_bytes, Systems.KEYED)
            if "keys" in self.told.only and "lastword" in self.told.systems:
                costs = self.attempt("cost by live keys", self.costs) or {}
            if "live" in self.told.only and "lastword" in self.told.systems:
                page = self.attempt("live page", self.live)
        if "shapes" in self.told.only and "lastword" in self.told.systems:
            found = self.attempt("shapes", shapes.measure, self.systems, log)
        if "transports" in self.told.only and "lastword" in self.told.systems:
            carried = self.attempt(
                "transports", transports.measure, self.systems, self.told.rounds, self.told.seconds, log)
        if "loops" in self.told.only and "lastword" in self.told.systems:
            several = self.attempt("loops", loops.measure, self.systems, self.told.rounds, log)
        if "pieces" in self.told.only and "lastword" in self.told.systems:
            given = self.attempt("pieces", pieces.measure, self.systems, self.told.rounds, log)
        if "fleet" in self.told.only and "lastword" in self.told.systems:
            members = self.attempt("fleet", fleet.measure, self.systems, self.told.rounds, log)
        self.show_counts(costs)
        if page:
            live.show(page)
        if found:
            shapes.show(found)
        if carried:
            transports.show(carried)
        if several:
            loops.show(several)
        if given:
            pieces.show(given)
        if members:
            fleet.show(members)
        counted = self.counted.get("lastword", {})
        reached = figures.show([*figures.rate_figures(rows), *figures.counted_figures(counted, costs),
                                *figures.page_figures(page), *figures.shape_figures(found),
                                *figures.transport_figures(carried), *figures.loop_figures(several),
                                *figures.piece_figures(given), *figures.fleet_figures(members)])
        for failure in self.failures:
            print(f"FAILED: {failure}")
        return reached and not self.failures

    def rates(self):
        cells = [cell for cell in throughput.CELLS if cell.title in self.told.only]
        if not cells:
            return []
        # What all ratios are to is always among them.
        names = [throughput.YARDSTICK] + [name for name in self.told.systems if name != throughput.YARDSTICK]
        with ExitStack() as stack:
            upstream = stack.enter_context(Upstream(self.told.programs))
            running = [stack.enter_context(self.systems.start(name, upstream.port)) for name in names]
            rows = throughput.measure(
                cells, running, upstream, self.load, self.told.rounds, self.told.seconds, log)
        log("")
        throughput.show(rows)
        return rows

    def count(self, part, field, measure, able):
        if part not in self.told.only:
            return
        for name in self.told.systems:
            if name not in able:
                continue
            log(f"{field}: {name}")
            self.counted[name][field] = self.attempt(
                f"{field}, {name}", measure, self.systems, name, self.upstream, self.load)
        log("")

    def costs(self):
        return footprint.costs(
            self.systems, "lastword", self.upstream, self.load, self.told.rounds, self.told.seconds, log)

    def live(self):
        return live.measure(
            self.systems, self.upstream, self.load, self.told.rounds, self.told.seconds, log)

    def attempt(self, title, measure, *arguments):
        """One thing that cannot be measured must not take the others with it."""
        try:
            return measure(*arguments)
        except (Failed, OSError, TypeError) as error:
            self.failures.append(f"{title}: {error}")
            return None

    def show_counts(self, costs):
        columns = "{:<17} {:>13} {:>13} {:>16} {:>16}"
        if any(self.counted.values()):
            print()
            print(columns.format("", "instructions", "allocations", "bytes for each", "bytes for each"))
            print(columns.format("", "per request", "per request", "idle connection", "live key"))
        for name, values in self.counted.items():
            if values:
                texts = [spell(values.get(field), form) for field, form in COUNTS.items()]
                print(columns.format(name, *texts))
        if costs:
            print("\nlastword, 64x16, 150 B: CPU time for each request while other keys are live")
        for keys, (microseconds, ratio) in costs.items():
            print(f"{keys:>9,} keys {microseconds:8.2f} µs {ratio:6.2f}")


if __name__ == "__main__":
    if os.cpu_count() < 2:
        sys.exit("two cores are needed: one for what is measured, one for the load")
    try:
        sys.exit(0 if Bench(read_options()).run() else 1)
    except Failed as failure:
        sys.exit(f"scripts/bench: {failure}")
