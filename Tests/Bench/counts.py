"""What no clock is needed for: instructions and allocations for each request, from runs of two lengths."""
import re
import shutil
import subprocess
from contextlib import contextmanager

CONNECTIONS, DEPTH, BYTES = 64, 16, 150
INSTRUCTION_RUNS = 20_000, 60_000
# One request at a time takes two turns of the loop for each.
ALONE_RUNS = 2_000, 6_000
ALLOCATION_RUNS = 100_000, 300_000
CALLGRIND, COLLECTED = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"], r"Collected : (\d+)"
# Under callgrind all takes some fifty times as long: what may take its time in a turn must not end earlier for that. And
# the start takes as much in each run.
UNHURRIED = {"LASTWORD_BOUNDS_TURN_US": "1000000", "SWIFT_DETERMINISTIC_HASHING": "1"}


def run(systems, name, upstream, load, requests, wrapper=(), environment=None, connections=None, depth=None):
    """Gives what the system wrote to its standard error in a whole life with so many requests."""
    path = systems.directory / "errors"
    with open(path, "w") as errors:
        with systems.start(name, upstream.port, wrapper, environment, errors) as system:
            load.run(
                system.port, connections=connections or CONNECTIONS, depth=depth or DEPTH, bytes=BYTES,
                requests=requests)
    log = getattr(system.program, "log", None)
    return path.read_text() + (log.read_text() if log else "")


def for_each_request(systems, name, upstream, load, runs, pattern, **options):
    texts = [run(systems, name, upstream, load, requests, **options) for requests in runs]
    shorter, longer = (int(re.search(pattern, text)[1]) for text in texts)
    # What grows once at another moment may make the difference a little less than nothing.
    return max(longer - shorter, 0) / (runs[1] - runs[0])


@contextmanager
def stripped(systems):
    """A program without symbols is read much sooner, and nothing but the sum is asked for."""
    path = systems.directory / "stripped"
    if not path.exists():
        shutil.copy(systems.binary, path)
        subprocess.run(["strip", path], check=True)
    binary, systems.binary = systems.binary, path
    try:
        yield
    finally:
        systems.binary = binary


def instructions(systems, name, upstream, load, runs=INSTRUCTION_RUNS, **options):
    """In user mode."""
    with stripped(systems):
        return for_each_request(
            systems, name, upstream, load, runs, COLLECTED, wrapper=CALLGRIND, environment=UNHURRIED, **options)


def instructions_alone(systems, name, upstream, load):
    return instructions(systems, name, upstream, load, ALONE_RUNS, connections=1, depth=1)


def allocations(systems, name, upstream, load):
    environment = {"LD_PRELOAD": str(systems.directory / "counter.so")}
    return for_each_request(
        systems, name, upstream, load, ALLOCATION_RUNS, r"allocations: (\d+)", environment=environment)
