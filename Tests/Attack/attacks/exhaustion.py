"""One principal uses up names: of keys, of requests, of groups, and what there is for each principal."""
import secrets
import statistics
import time

from access import PRINCIPALS, TLS, TOKEN, digest, log_in, read_line
from scene import attack
from wire import MIB, request, reset

# As long as they may be.
KEY_BYTES, ID_BYTES = 512, 126
EACH = 10_000


def long(prefix, bytes):
    """A name of so many bytes with a number of six digits at its end."""
    return prefix + b"x" * (bytes - len(prefix) - 6) + b"%06d"


HELD = b'"method":"hold","params":[],"task":'
KEYED = b'{"jsonrpc":"2.0","id":%d,' + HELD + b'{"key":"' + long(b"k:", KEY_BYTES) + b'"}}\n'
GROUPED = b'{"jsonrpc":"2.0","id":%d,' + HELD + b'{"group":"' + long(b"g:", KEY_BYTES) + b'"}}\n'
NAMED = b'{"jsonrpc":"2.0","id":"' + long(b"i:", ID_BYTES) + b'",' + HELD + b'{}}\n'


ORDERED = b'{"jsonrpc":"2.0","id":%d,"method":"work","params":[],"task":{"key":"o:%d","order":%d}}\n'


def numbered(line, first, count):
    places = line.count(b"%")
    return b"".join(line % ((number,) * places) for number in range(first, first + count))


def holds(scene, line, connections=4):
    """As many as one connection may have, by several, then more that are refused."""
    first = [numbered(line, index * EACH, EACH + 500) for index in range(connections)]
    scene.principals(first=first).run().close()


@attack("exhausts-keys", door=TOKEN, newcomers=True, seconds=3, most_bytes=128 * MIB, reaches=("-32082",))
def exhausts_keys(scene):
    """One principal holds 40,000 keys of 512 bytes"""
    holds(scene, KEYED)


@attack("exhausts-groups", door=TOKEN, newcomers=True, seconds=3, most_bytes=128 * MIB, reaches=("-32082",))
def exhausts_groups(scene):
    """One principal holds 40,000 groups of 512 bytes"""
    holds(scene, GROUPED)


@attack("exhausts-ids", door=TOKEN, newcomers=True, seconds=3, most_bytes=128 * MIB, reaches=("-32082",))
def exhausts_ids(scene):
    """One principal holds 40,000 ids of 128 bytes, as long as they may be"""
    holds(scene, NAMED)


@attack("exhausts-all", door=TOKEN, newcomers=True, seconds=3, most_bytes=64 * MIB, reaches=("-32082",))
def exhausts_all(scene):
    """One principal asks for every place for a task, by 12 connections with a key each for 10,000 requests"""
    holds(scene, KEYED, connections=12)


# What one principal may have at most is its tasks' quota, not what there is.
@attack("weak-quotas", door=TOKEN, seconds=3, most_bytes=256 * MIB, succeeds_by="errors",
        configuration={"bounds": {"tasksPerPrincipal": 2_000_000, "callersPerPrincipal": 2_000_000,
                                  "principalPayloadBytes": 1 << 30}})
def weak_quotas(scene):
    """The same without a quota: every place for a task is taken"""
    holds(scene, KEYED, connections=12)


@attack("exhausts-orders", door=TOKEN, newcomers=True, seconds=3, most_bytes=64 * MIB, reaches=("results",))
def exhausts_orders(scene):
    """One principal has the order of 40,000 keys remembered, again and again"""
    scene.principals(connections=4, again=numbered(ORDERED, 0, EACH)).run().close()


@attack("exhausts-keys-tls", door=TLS, newcomers=True, seconds=3, most_bytes=128 * MIB, reaches=("-32082",))
def exhausts_keys_tls(scene):
    """One principal holds 20,000 keys of 512 bytes, under TLS"""
    holds(scene, KEYED, connections=2)


MANY = [secrets.token_urlsafe(32) for _ in range(1000)]
ALL = PRINCIPALS + [{"name": f"one-{number}", "tokens": [digest(token)]} for number, token in enumerate(MANY)]


@attack("principals-1000", door=TOKEN, newcomers=True, seconds=3, latest_ms=120, reaches=("known", "results"),
        # They all come at the same moment.
        configuration={"principal": ALL, "bounds": {"unauthenticatedConnections": 2000}})
def principals_1000(scene):
    """1,000 principals come, ask for a key of the same name, and go on asking"""
    crowd = scene.crowd(first=[log_in(token) + KEYED % (1, 1) for token in MANY],
                        again=request(2, "work", ["x"], key="k") * 4,
                        counting={"known": b'"principal":', "-32080": b":-32080,"})
    crowd.run(until=lambda: crowd.counts["known"] >= len(MANY))
    crowd.run().close()
    if scene.counts["known"] < len(MANY):
        scene.blame(f"{scene.counts['known']} of {len(MANY)} principals could come")


# Blindly, for the seeds of hashes are secret: what weak ones confuse, or count up into few buckets.
SAMPLE = 4_000
CRAFTED = {
    "counted up": lambda number: f"{number:064d}",
    "of the same beginning": lambda number: "p" * 56 + f"{number:08x}",
    "of the same end": lambda number: f"{number:08x}" + "s" * 56,
    "of the same sum": lambda number: "".join("ab" if number >> bit & 1 else "ba" for bit in range(32)),
    "a multiple of a power of two": lambda number: f"{number << 40:064x}",
    "words turned round": lambda number: number.to_bytes(4, "little").hex() * 8,
}
# Collisions would cost thousands of times as much.
MOST_COST = 3


def asked(keys):
    return b"".join(request(key, "hold", [], key=key, group=key, scope="connection") for key in keys)


def compare(scene, crafted):
    """What they cost, and as many by chance, in turn."""
    random = [asked(secrets.token_hex(32) for _ in range(SAMPLE)) for _ in range(3)]
    costs = {name: [] for name in crafted} | {"by chance": []}
    scene.begin()
    while not scene.is_finished:
        for number, (name, lines) in enumerate(crafted.items()):
            costs["by chance"].append(cost(scene, random[number % 3]))
            costs[name].append(cost(scene, lines))
    usual = statistics.median(costs.pop("by chance"))
    worst, seconds = max(((name, statistics.median(one)) for name, one in costs.items() if one), key=lambda one: one[1])
    scene.notes.append(f"{SAMPLE} keys {worst} cost {seconds / usual:.2f} times what {SAMPLE} by chance do")
    if seconds > MOST_COST * usual:
        scene.blame(f"keys {worst} cost {seconds / usual:.1f} times as much as others")


@attack("keys-crafted", door=TOKEN, reaches=("asked",), seconds=3)
def keys_crafted(scene):
    """Keys, groups and ids chosen so that a hash would confuse them, and as many by chance: what they cost"""
    compare(scene, {name: asked(map(make, range(SAMPLE))) for name, make in CRAFTED.items()})


# Whether the suite finds what it is for: so many more cost as much as collisions would.
@attack("weak-crafted", door=TOKEN, succeeds_by="fault", seconds=3, configuration={"bounds": {
    "unansweredPerConnection": 100_000, "tasksPerConnection": 100_000}})
def weak_crafted(scene):
    """The same judgement of ten times as many keys"""
    compare(scene, {"ten times as many": asked(map(CRAFTED["counted up"], range(10 * SAMPLE)))})


# So often it is looked whether a slow machine has taken back what was held before.
MOST_LOOKS = 100


def cost(scene, lines):
    """How long it takes until all of them are held, and the gateway answers a ping behind them."""
    for _ in range(MOST_LOOKS):
        seconds, line = hold(scene, lines)
        if b"too many tasks of this principal" not in line:
            break
    if b'"id":"last","result":' not in line:
        scene.blame(f"nothing was shown: the first answer was {line[:200]!r}")
    scene.counts["asked"] += SAMPLE
    return seconds


def hold(scene, lines):
    """How long that takes, and the first answer."""
    client = scene.enter()
    began = time.perf_counter()
    client.sendall(lines + request("last", "lastword.ping"))
    line = read_line(client)
    seconds = time.perf_counter() - began
    reset(client)
    # What was held is taken back, so that the next ones find the tables as these did.
    scene.wait(0.02)
    return seconds, line
