"""One round of an attack against a gateway of its own: quiet, attacked, and what is left afterwards."""
import math
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from processes import PATIENCE_SECONDS, YIELDING, Branch, Failed
from scene import Cues, play
from stage import Stage
from verdict import KEPT_BYTES, PASSING_DESCRIPTORS

SAMPLE_SECONDS = 0.05
# A page of metrics is work, too.
METRICS_SECONDS = 0.2
# What never came counts as long as the honest client waits for it.
NEVER_SECONDS = 10.0
# What the gateway said last is worth reading where an attack succeeds.
LOG_LINES = 5


@dataclass
class Times:
    """How long a round's parts are."""
    quiet: float = 1.0
    attacked: float = 2.0
    after: float = 0.6


@dataclass
class Round:
    """What one round showed; times in seconds, sizes in bytes."""
    quiet: float
    attacked: float
    worst: float
    # That of who asks another gateway meanwhile.
    beside: float
    outcomes: Counter
    wrong: int
    peak: int
    left: int
    descriptors: int
    processor: float
    counts: dict
    faults: list
    notes: list
    visits: list
    log: list


class State:
    """What the gateway holds at a moment."""

    def __init__(self, gateway):
        self.memory, self.descriptors = gateway.bytes("RssAnon"), gateway.descriptors()
        self.processor, self.time = gateway.processor_seconds(), time.monotonic()

    def has_come_back(self, before):
        return (self.descriptors <= before.descriptors + PASSING_DESCRIPTORS
                and self.memory <= before.memory + KEPT_BYTES)


class Shown:
    """Of each metric that matters the most that it has been at any moment of an attack, beyond what it was before."""

    def __init__(self, stage):
        self.gateway, self.fewest = stage.gateway, stage.attack.shows
        self.before = self.gateway.counted() if self.fewest else {}
        self.most, self.due = {name: 0 for name in self.fewest}, time.monotonic()

    def look(self):
        if not self.fewest or time.monotonic() < self.due:
            return
        for name, value in self.gateway.counted().items():
            if name in self.most:
                self.most[name] = max(self.most[name], value - self.before.get(name, 0))
        self.due = time.monotonic() + METRICS_SECONDS

    def faults(self):
        return [f"nothing was shown: the gateway counted {self.most[name]:,.0f} of {name!r}, and not {fewest:,}"
                for name, fewest in self.fewest.items() if self.most[name] < fewest]


def run_round(binary, attack, times):
    with tempfile.TemporaryDirectory() as directory, Stage(binary, attack, Path(directory)) as stage:
        gateway, cues = stage.gateway, Cues()
        attacker = stage.begin(Branch(play, attack, stage.target, times.attacked, cues, niceness=YIELDING))
        if not cues.prepared.wait(PATIENCE_SECONDS):
            raise Failed(f"{attack.name}: the attacker does not begin")
        began = time.monotonic()
        time.sleep(times.quiet)
        before = State(gateway)
        counts, faults, notes = be_attacked(stage, attacker, cues, times.attacked)
        attacked = State(gateway)
        # Then it has gone: what it left behind is judged, too, and whether the gateway gets rid of it.
        time.sleep(attack.pause_seconds)
        gone = time.monotonic()
        time.sleep(times.after)
        gateway.settle(lambda: State(gateway).has_come_back(before))
        after, report, other = State(gateway), stage.honest.result(), stage.beside.result()
        for check in attack.afterwards:
            faults += check(gateway, counts)
        if report is None or other is None:
            raise Failed(f"{attack.name}: the honest client did not say what it saw")
        if gateway.has_ended:
            faults.append(f"the gateway ended with {gateway.process.returncode}: {gateway.last_words}")
        visits = visited(stage.newcomer, before.time, gone, attack)
        windows = [(before.time, gone), (gone, after.time)]
        meanwhile, afterwards = (report.window(*window) for window in windows)
        if attack.pause_seconds:
            counts["honest requests refused meanwhile"] = sum(bool(error) for _, _, error in meanwhile)
            meanwhile, windows = [], windows[1:]
        p99, beside = max((late(requests), late(other.window(*window)))
                          for window in windows if (requests := report.window(*window)))
        return Round(
            quiet=late(report.window(began, before.time)), attacked=p99, beside=beside,
            worst=late(meanwhile + afterwards, 1), outcomes=Counter(error for _, _, error in meanwhile + afterwards),
            wrong=report.wrong, peak=gateway.peak_bytes() - before.memory, left=after.memory - before.memory,
            descriptors=after.descriptors - before.descriptors, counts=counts, faults=faults,
            notes=notes, visits=visits, log=gateway.log[-LOG_LINES:],
            processor=(attacked.processor - before.processor) / (attacked.time - before.time))


def visited(newcomer, begin, end, attack):
    """The visits of those who came anew meanwhile."""
    if newcomer is None:
        return []
    visits = newcomer.result()
    if not visits:
        raise Failed(f"{attack.name}: who comes anew did not say what it saw")
    return [visit for visit in visits if begin <= visit.sent < end]


def highest(latencies, share=0.99):
    ordered = sorted(NEVER_SECONDS if one is None else one for one in latencies)
    return ordered[min(len(ordered) - 1, math.ceil(len(ordered) * share) - 1)] if ordered else NEVER_SECONDS


def late(requests, share=0.99):
    return highest([seconds for _, seconds, _ in requests], share)


def be_attacked(stage, attacker, cues, seconds):
    """Gives what the attackers did, and what they or the checks found wrong."""
    attack, complaints, shown = stage.attack, Counter(), Shown(stage)
    cues.begin.set()
    end = time.monotonic() + seconds
    while time.monotonic() < end and not attacker.has_ended:
        time.sleep(SAMPLE_SECONDS)
        shown.look()
        for check in attack.checks:
            if complaint := check(stage.gateway):
                complaints[complaint] += 1
    found = attacker.result()
    shown.due = 0
    shown.look()
    # Whatever it still had open goes with it.
    attacker.__exit__()
    if found is None:
        raise Failed(f"{attack.name}: the attacker came to no end")
    counts, faults, notes = found
    faults += [f"{text} ({count} times)" for text, count in complaints.items()] + shown.faults()
    return counts, faults, notes
