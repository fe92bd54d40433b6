#!/usr/bin/env python3
"""A fleet under faults: three etcds, three members, one upstream, and a load through all members that checks every reply.

    python3 soak.py BINARY [--seconds N | --each N] [--seed N]

Faults follow each other, drawn by the seed, each once before any comes again. What upstream tells of arrivals the load
holds against results: none may be out of date, whichever member gave it, and whatever had happened to it before. Fails
where one is, where a reply is lost or comes twice, or where the fleet does not settle. First the same load goes to gateways
that know nothing of each other: there stale results must be found.

Three faults have callers of their own, which hold the fleet to what docs/fleet.md promises: a rolling restart without an
error for what takes 0.7 s at most, the keys of a member that was killed within 6 s and what must be alone takeoverMs
later, results for all who allow 15 s while etcd is away for 10 s. With --each these promises are broken on purpose first:
each time there must be complaints.

Each process has a machine of its own, a network namespace, where the system lets such be made: then they are cut off from
each other, too. Where it does not, --each ends with status 77, for not each fault can happen there.
"""
import argparse
import atexit
import json
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from fleet import MEMBERS, Control, Fleet, Gateways, faults_of
from machines import PATIENCE_SECONDS, Failed, Loopback, Machine, enter_own_network

CALM_SECONDS = 1
LOAD = ["--connections", "24", "--rate", "1200", "--keys", "48", "--shared-keys", "--workload", "zipf:0.8", "--policies",
        "cancel=6,cancelAndWait=1,wait=1,concurrent=1,preferPrevious=1,keepLatest=1,onAnswer=1", "--cancels", "0.03",
        "--patience-ms", str(1_000 * PATIENCE_SECONDS)]
# Each of these must have happened, or nothing was tested.
HAPPENED = ["results", "superseded", "cancelled"]
CONTROL_SECONDS = 3
# A bound for what is told to stop before.
MOST_SECONDS = 24 * 60 * 60
SKIPPED_STATUS = 77
# Beside a run for a time others may use the machine; with --each promises are held to the second.
LATE_SECONDS = 10

signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


class Load:
    """The load client, which ends by itself or is told to."""

    def __init__(self, gateways, seconds, seed, errors=None):
        places = [gateways.address(number) for number in range(MEMBERS)]
        words = ["--to", places[0], *(word for place in places[1:] for word in ("--member", place))]
        self.process = subprocess.Popen(
            [gateways.binary, "load", *words, "--upstream-at", gateways.upstream_address, "--seconds", str(seconds),
             "--seed", str(seed), "--quiet", "--json", "-", *LOAD], text=True, stdout=subprocess.PIPE, stderr=errors)
        atexit.register(self.process.kill)
        self.answer = ""
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        self.answer = self.process.stdout.read()

    @property
    def is_running(self):
        return self.process.poll() is None

    def stop(self):
        """It sends no more, and waits for what is open."""
        if self.is_running:
            self.process.send_signal(signal.SIGINT)

    def report(self, seconds):
        self.reader.join(seconds + 2 * PATIENCE_SECONDS)
        if self.is_running:
            self.process.wait(PATIENCE_SECONDS)
        try:
            return json.loads(self.answer)
        except ValueError:
            raise Failed(f"the load left no report, and ended with {self.process.returncode}") from None


def control(binary, directory, seed, machine):
    """Gives what is wrong with the check itself: nothing."""
    gateways = Gateways(binary, directory, machine)
    stale = Load(gateways, CONTROL_SECONDS, seed, subprocess.DEVNULL).report(CONTROL_SECONDS)["stale"]
    gateways.end()
    print(f"{stale} stale results of gateways that know nothing of each other\n")
    return [] if stale else ["gateways that know nothing of each other gave nothing stale: nothing is shown"]


def controls(binary, directory, machine):
    """Gives those promises that can be broken without a complaint: none."""
    fleet = Control(binary, directory, machine)
    unnoticed = [*fleet.try_all()]
    fleet.end()
    print()
    return unnoticed


def judge(report, status):
    errors = "".join(f", {error['count']} error {error['code']}" for error in report["errors"])
    counts = ", ".join(f"{report[name]} {name}" for name in [*HAPPENED, "abandoned"])
    print(f"{report['sent']} requests: {counts}{errors}")
    print(f"{report['upstream']['fenced']} came too late and were refused by their fences")
    print(f"detail: {report['violationCount']} violations, {report['stale']} of them stale results")
    for violation in report["violations"]:
        yield "\n  ".join([f"violation: {violation['description']}", *violation["trace"]])
    if status != 0:
        yield f"lastword load ended with {status}: {report.get('failure')}"
    yield from (f"nothing was {name}: nothing is shown" for name in HAPPENED if report[name] == 0)


def drawn(faults, draw, told):
    """Faults and members, as many as were asked for, or without end."""
    rounds = range(told.each) if told.each else iter(int, 1)
    for _ in rounds:
        for fault in draw.sample(faults, len(faults)):
            yield fault, draw.randrange(MEMBERS)


def soak(fleet, load, faults, told):
    end = time.monotonic() + (MOST_SECONDS if told.each else told.seconds)
    # It needs its connections first.
    time.sleep(CALM_SECONDS)
    print(f"{'served after':>13}  fault")
    for fault, number in drawn(faults, random.Random(told.seed), told):
        if time.monotonic() > end or not load.is_running:
            break
        healed = fault(fleet, number)
        print(f"{healed:11.1f} s  {fault.__doc__}", flush=True)
        fleet.await_settled()
        time.sleep(CALM_SECONDS)


def main(told):
    machine = Machine if enter_own_network() else Loopback
    if machine is Loopback:
        if told.each:
            print("detail: no network namespaces can be made here, by which machines are cut off from each other")
            return SKIPPED_STATUS
        print("no network namespaces can be made here: nothing is cut off")
    print(f"seed {told.seed}")
    with (tempfile.TemporaryDirectory() as other, tempfile.TemporaryDirectory() as broken,
          tempfile.TemporaryDirectory() as directory):
        complaints = control(told.binary, Path(other), told.seed, machine)
        if told.each:
            complaints += controls(told.binary, Path(broken), machine)
        fleet = Fleet(told.binary, Path(directory), machine, 0 if told.each else LATE_SECONDS)
        load = Load(fleet, MOST_SECONDS if told.each else told.seconds, told.seed)
        soak(fleet, load, faults_of(machine), told)
        if told.each:
            load.stop()
        complaints += fleet.complaints
        complaints += judge(load.report(told.seconds), load.process.returncode)
        fleet.end()
    for complaint in complaints:
        print(f"error: {complaint}")
    return 1 if complaints else 0


def read_arguments():
    parser = argparse.ArgumentParser(description="A fleet under faults, and a load that checks every reply.")
    parser.add_argument("binary")
    length = parser.add_mutually_exclusive_group(required=True)
    length.add_argument("--seconds", type=float, default=0, help="so long faults follow each other")
    length.add_argument("--each", type=int, default=0, help="so often each fault happens")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 31), help="drawn where none is said")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        sys.exit(main(read_arguments()))
    except Failed as failure:
        sys.exit(f"error: {failure}")
