"""One principal beside another, who must not feel it: floods, and all ways to reach what others have asked."""
from access import BOUNDED, HONEST, TLS, TOKEN, TOKENS, principal, read_line
from scene import attack
from wire import HOUR, cancel, many, request

KEYS = 4096
FEW = {"main": {"maxInFlight": 16}}
# Requests may say themselves that they share an answer.
JOINABLE = {"route": [{"method": "large", "policy": "preferPrevious", "join": "always"}]}
THEIR_KEY = b'{"jsonrpc":"2.0","id":%d,"method":"echo","params":["mine"],"task":{"key":"honest:%d"}}\n'


@attack("principal-supersedes", door=TOKEN, newcomers=True, configuration=FEW, shares_upstream=True,
        reaches=("results",))
def principal_supersedes(scene):
    """One principal supersedes every key of another without end"""
    scene.principals(connections=4, again=many(KEYS, THEIR_KEY)).run().close()


@attack("principal-supersedes-tls", door=TLS, configuration=FEW, shares_upstream=True, reaches=("results",))
def principal_supersedes_tls(scene):
    """The same under TLS"""
    scene.principals(connections=2, again=many(KEYS, THEIR_KEY)).run().close()


@attack("principal-shared-key", door=TOKEN, ask="shared", shares_upstream=True,
        shows={'requests_ended_total{outcome="superseded"}': 1_000, 'tasks{state="draining"}': 4})
def principal_shared_key(scene):
    """Work that does not end under a key that another principal has, too, superseded and left behind"""
    line = b'{"jsonrpc":"2.0","id":%d,"method":"stubborn","task":{"key":"shared","policy":"concurrent","drainMs":%d}}\n'
    held = b"".join(line % (number, HOUR) for number in range(4))
    scene.principals(first=held, again=request(1, "echo", ["mine"], key="shared") * 200).run().close()


def cancels_everything():
    """By id, by key, by group of both scopes: whatever the other may have called what it asks."""
    line = b'{"jsonrpc":"2.0","id":%d,"method":"lastword.cancel","params":{"key":"honest:%d"}}\n'
    yield many(KEYS, line)
    yield b"".join(cancel(number) for number in range(1, 2000))
    for scope in ("connection", "principal"):
        yield request(2, "lastword.cancel", {"group": "g", "scope": scope}) * 100
    yield request(3, "lastword.cancel", {"key": "shared"}) * 100


@attack("principal-cancels", door=TOKEN, newcomers=True, shares_upstream=True, reaches=("results",))
def principal_cancels(scene):
    """One principal cancels by every key, id and group that another has"""
    with scene.enter(HONEST) as other:
        other.sendall(request(1, "hold", group="g", key="shared"))
        scene.principals(connections=4, again=b"".join(cancels_everything())).run().close()
        other.sendall(request(2, "lastword.inspect", {"key": "shared"}))
        line = read_line(other)
        if b'"state":"running"' not in line:
            scene.blame(f"what another principal had asked is gone: {line!r}")


@attack("principal-joins", door=TOKEN, configuration=JOINABLE, shares_upstream=True, reaches=("joined",))
def principal_joins(scene):
    """One principal joins, by every policy that shares answers, what another asks at that moment"""
    joins(scene)


def joins(scene):
    """What the other is answered is as long as only its own params make it."""
    victim, thief = scene.enter(HONEST), scene.enter()
    while not scene.is_finished:
        key = f"secret:{scene.counts['joined']}"
        victim.sendall(request(1, "large", [2, 30], key=key))
        scene.wait(0.01)
        thief.sendall(request(2, "lastword.inspect", {"key": key})
                      + request(3, "large", [1, 30], key=key, join="always"))
        lines = read_line(thief), read_line(thief)
        if b'"count":0' not in lines[0] or len(lines[1]) > 2048:
            scene.blame(f"another principal saw what was asked: {lines[0]!r}, and an answer of {len(lines[1])} bytes")
        if len(read_line(victim)) < 2048:
            scene.blame("who asked did not get its answer")
        scene.counts["joined"] += 1
    victim.close()
    thief.close()


@attack("principal-requests", door=TOKEN, newcomers=True, configuration=FEW, shares_upstream=True, reaches=("results",))
def principal_requests(scene):
    """One connection of a principal asks as fast as it goes what another's requests wait behind"""
    line = b'{"jsonrpc":"2.0","id":%d,"method":"work","params":[1]}\n'
    scene.principals(again=many(9_000, line)).run().close()


@attack("principal-floods", door=TOKEN, newcomers=True, reaches=("results",))
def principal_floods(scene):
    """16 connections of a principal supersede, cancel, join and inspect as fast as it goes"""
    newer = b'{"jsonrpc":"2.0","id":%d,"method":"hold","task":{"key":"flood","group":"f"}}\n'
    joined = b'{"jsonrpc":"2.0","id":%d,"method":"hold","params":[],"task":{"key":"j","policy":"preferPrevious"}}\n'
    taken = (request(1, "lastword.cancel", {"group": "f", "scope": "principal"})
             + request(2, "lastword.cancel", {"key": "j"}))
    again = many(400, newer) + taken + many(400, joined) + taken + request(3, "lastword.inspect", {"key": "j"}) * 50
    scene.principals(connections=16, again=again).run().close()


def holds(scene):
    held = b'{"jsonrpc":"2.0","id":%d,"method":"hold"}\n'
    scene.principals(connections=16, first=many(2_000, held)).run().close()


@attack("principal-many", door=TOKEN, newcomers=True, configuration=FEW | {"principal": BOUNDED},
        shares_upstream=True, reaches=("-32082",))
def principal_many(scene):
    """16 connections of one principal ask the shared upstream for what is never answered, beyond its quotas"""
    holds(scene)


@attack("principal-many-usual", door=TOKEN, newcomers=True, configuration=FEW, shares_upstream=True,
        reaches=("-32082",))
def principal_many_usual(scene):
    """The same with the quotas that are there when nobody sets any"""
    holds(scene)


# Whether the suite finds what it is for: here a principal may have all that the upstream works on.
@attack("weak-many", door=TOKEN, shares_upstream=True, succeeds_by="late", seconds=1.5,
        configuration={"main": {"maxInFlight": 16, "maxInFlightPerConnection": 16}})
def weak_many(scene):
    """The same where one may have everything that the upstream works on at once"""
    holds(scene)


SHARING = {"principal": [principal(name, namespace="everybody") for name in TOKENS]}


# Whether the suite finds what it is for: here both are of one namespace.
@attack("weak-namespace", door=TOKEN, shares_upstream=True, succeeds_by="errors", seconds=1.5, configuration=SHARING)
def weak_namespace(scene):
    """One principal supersedes every key of another, with whom it shares a namespace"""
    scene.principals(connections=4, again=many(KEYS, THEIR_KEY)).run().close()


@attack("weak-joins", door=TOKEN, shares_upstream=True, succeeds_by="fault", seconds=1.5,
        configuration=SHARING | JOINABLE)
def weak_joins(scene):
    """One principal joins what another asks, with whom it shares a namespace"""
    joins(scene)
