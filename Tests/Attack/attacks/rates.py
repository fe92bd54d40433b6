"""What a principal may do in a second, of all its connections: who does more is refused, and costs no more."""
import time

from access import ATTACKER, BOUNDED, QUOTAS, TOKEN, principal
from scene import attack
from wire import cancel, many, request

# So low that whoever keeps to it is told from whoever does not.
RATE = 200
COUNTED = {"-32080": b":-32080,", "-32082": b":-32082,", "told": b'"retryAfterMs":', "done": b'"result":'}
# Others are beside it as strangers would be.
RATES = {"requestsPerSecond": 0, "supersessionsPerSecond": 0, "cancelsPerSecond": 0}


def bounded(**own):
    """The attacker has these rates and no others, so that each is seen by itself; the rest are as recommended."""
    mine = principal(ATTACKER, **QUOTAS | RATES | {"tasks": 5000} | own)
    return {"principal": [mine if one["name"] == ATTACKER else one for one in BOUNDED]}


class Flood:
    """Connections of the attacker, and since when they ask."""

    def __init__(self, scene, again, first=b"", connections=8):
        self.scene = scene
        scene.begin()
        self.began = time.monotonic()
        self.crowd = scene.principals(connections=connections, first=first, again=again, counting=COUNTED).run()

    def judge(self, what, count, fewest=None):
        """A quiet second's worth may come at once."""
        seconds = time.monotonic() - self.began
        most = RATE * (seconds + 1)
        self.scene.notes.append(f"{count} {what} in {seconds:.1f} s, at most {most:.0f}")
        if count > most:
            self.scene.blame(f"{count} {what} in {seconds:.1f} s are more than {RATE} a second")
        if (count if fewest is None else fewest) < most / 2:
            self.scene.blame(f"{count} {what} in {seconds:.1f} s: what is within the rate is refused, too")
        # The last of each connection may have come in part.
        if self.scene.counts["-32082"] - self.scene.counts["told"] > len(self.crowd.writers):
            self.scene.blame("somebody who is refused is not told when there is room again")


WORK = b'{"jsonrpc":"2.0","id":%d,"method":"work","params":[1]}\n'
TELLING = b'{"jsonrpc":"2.0","method":"work","params":[%d]}\n'


def asks(scene):
    flood = Flood(scene, many(500, WORK) + many(100, TELLING))
    flood.judge("requests and notifications that upstream heard", scene.heard("work", "notifications"))
    flood.crowd.close()


@attack("rate-requests", door=TOKEN, newcomers=True, reaches=("-32082", "told"),
        configuration=bounded(requestsPerSecond=RATE))
def rate_requests(scene):
    """8 connections of a principal ask and notify as fast as it goes, at 200 a second of all of them"""
    asks(scene)


@attack("weak-rate", door=TOKEN, succeeds_by="fault", seconds=1.5, configuration=bounded())
def weak_rate(scene):
    """The same without a rate"""
    asks(scene)


NEWER = b'{"jsonrpc":"2.0","id":%d,"method":"hold","task":{"key":"k"}}\n'
BESIDE = [
    b'{"jsonrpc":"2.0","id":%%d,"method":"hold","task":{"key":"%s","policy":"concurrent"}}\n' % key
    for key in (b"k", b"l", b"m")]


def beside(count):
    """So many that run at once, of three keys: one alone has a bound of its own."""
    return b"".join(many(count // len(BESIDE) + 1, kind) for kind in BESIDE)



@attack("rate-supersessions", door=TOKEN, newcomers=True, reaches=("-32082", "told"),
        configuration=bounded(supersessionsPerSecond=RATE))
def rate_supersessions(scene):
    """8 connections of a principal supersede each other's requests one by one, at 200 a second"""
    flood = Flood(scene, many(100, NEWER))
    flood.judge("requests superseded", scene.counts["-32080"])
    flood.crowd.close()


def supersedes_refused(scene, count):
    """All places are taken by what runs under three keys. What would supersede a third of it is refused, since what is
    superseded has to end first: that is found out for each message."""
    full = scene.principals(connections=8, first=beside(count // 8 + 10))
    full.run(until=lambda: full.counts["-32082"])
    flood = Flood(scene, many(500, NEWER), connections=4)
    scene.notes.append(f"{scene.counts['-32082']} refusals")
    for crowd in (full, flood.crowd):
        crowd.close()


@attack("supersedes-refused", door=TOKEN, newcomers=True, configuration={"principal": BOUNDED}, reaches=("-32082",))
def supersedes_refused_bounded(scene):
    """4 connections of a principal would supersede 500 requests that run with each message, and are refused"""
    supersedes_refused(scene, 500)


@attack("supersedes-refused-usual", door=TOKEN, newcomers=True, reaches=("-32082",))
def supersedes_refused_usual(scene):
    """The same of the 10,000 that are the usual quota"""
    supersedes_refused(scene, 10_000)


@attack("supersedes-refused-open", reaches=("-32082",))
def supersedes_refused_open(scene):
    """The same of the 10,000 tasks of a connection, by two of which nobody asks who they are"""
    scene.crowd(connections=2, first=beside(10_010), again=many(500, NEWER)).run().close()


def takes_back(scene, word, again):
    """Each connection has requests that do not end, and takes them back as fast as it goes."""
    line = b'{"jsonrpc":"2.0","id":%d,"method":"hold","task":{"key":"I:%d","group":"I:%d"}}\n'
    first = [many(500, line.replace(b"I", b"%d" % index)) for index in range(8)]
    flood = Flood(scene, again, first)
    taken = scene.heard("cancels")
    # A message that finds nothing any more counts, too.
    flood.judge(f"requests taken back by {word}", taken, fewest=max(taken, scene.counts["done"]))
    flood.crowd.close()


CANCELS = {"cancelsPerSecond": RATE}


@attack("rate-cancels-id", door=TOKEN, newcomers=True, configuration=bounded(**CANCELS), reaches=("sent",))
def rate_cancels_id(scene):
    """8 connections take back 4,000 requests by id as fast as it goes, at 200 a second"""
    takes_back(scene, "id", b"".join(map(cancel, range(500))))


@attack("rate-cancels-key", door=TOKEN, newcomers=True, configuration=bounded(**CANCELS), reaches=("-32082", "told"))
def rate_cancels_key(scene):
    """The same by key"""
    keys = [f"{index}:{number}" for number in range(500) for index in range(8)]
    takes_back(scene, "key", b"".join(request(1, "lastword.cancel", {"key": key}) for key in keys))


@attack("rate-cancels-group", door=TOKEN, newcomers=True, configuration=bounded(**CANCELS),
        reaches=("-32082", "told"))
def rate_cancels_group(scene):
    """The same by group of all of the principal's connections"""
    groups = [f"{index}:{number}" for number in range(500) for index in range(8)]
    takes_back(scene, "group", b"".join(
        request(1, "lastword.cancel", {"group": group, "scope": "principal"}) for group in groups))


@attack("weak-rate-cancels", door=TOKEN, succeeds_by="fault", seconds=1.5, configuration=bounded())
def weak_rate_cancels(scene):
    """Taking back by id without a rate"""
    takes_back(scene, "id", b"".join(map(cancel, range(500))))
