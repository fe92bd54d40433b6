"""Memory for each idle connection and each live key, and what a request costs while many keys are live."""
import time
from statistics import median

from throughput import Cell, sample
from programs import Failed, most_connections

IDLE_CONNECTIONS = 10_000
# Those that were there before may not be gone yet.
SPARE_CONNECTIONS = 50 + 64
LIVE_KEYS = 100_000
HELD_PER_CONNECTION = 10_000
COST_KEYS = [10, 1_000, 1_000_000]
# Tasks that the measured requests need themselves.
SPARE_TASKS = 10_000
# A connection is idle when it has been so for a while: programs may tidy up.
IDLE_SECONDS = 0.5
COST_CELL = Cell(64, 16, 150)


def idle_bytes(systems, name, upstream, load):
    """Each connection was served once before it idles. The rest of what is in use was so before them."""
    connections = min(IDLE_CONNECTIONS, most_connections() - SPARE_CONNECTIONS)
    with systems.start(name, upstream.port) as system:
        load.run(system.port, connections=64, requests=64)
        before = system.program.memory_bytes()
        with load.stay(system.port, connections=connections, requests=connections):
            time.sleep(IDLE_SECONDS)
            return (system.program.memory_bytes() - before) / connections


def hold(load, upstream, system, keys):
    """Opens that many requests, each with a key of its own, that upstream has and does not answer."""
    depth = min(keys, HELD_PER_CONNECTION)
    before = upstream.held()
    connections = max(keys // depth, 1)
    holder = load.stay(system.port, connections=connections, depth=depth, hold=True)
    try:
        upstream.wait_for_held(before + connections * depth)
    except Failed:
        holder.end()
        raise
    return holder


def live_bytes(systems, name, upstream, load):
    with systems.start(name, upstream.port) as system:
        load.run(system.port, connections=64, requests=64)
        before = system.program.memory_bytes()
        with hold(load, upstream, system, LIVE_KEYS):
            return (system.program.memory_bytes() - before) / LIVE_KEYS


def costs(systems, name, upstream, load, rounds, seconds, log):
    """Gives by how many other keys are live: a request's CPU time in microseconds, its ratio to the fewest's.

    Where lastword's bounds allow no more, the most that they do.
    """
    numbers = [min(keys, systems.tasks - SPARE_TASKS) for keys in COST_KEYS]
    gateways, holders, samples = {}, [], {keys: [] for keys in numbers}
    try:
        for keys in numbers:
            gateways[keys] = systems.start(name, upstream.port)
            holders.append(hold(load, upstream, gateways[keys], keys))
        for number in range(rounds):
            for keys in numbers[number % len(numbers):] + numbers[:number % len(numbers)]:
                log(f"round {number + 1} of {rounds}: {keys:,} live keys")
                samples[keys].append(sample(gateways[keys], upstream, load, COST_CELL, seconds))
    finally:
        for program in [*holders, *(gateway.program for gateway in gateways.values())]:
            program.end()
    fewest = samples[numbers[0]]
    return {
        keys: (median(one.cpu for one in samples[keys]),
               median(one.cpu / other.cpu for one, other in zip(samples[keys], fewest)))
        for keys in numbers}
