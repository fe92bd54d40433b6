"""Those who have not said who they are: many of them, with wrong tokens, with more to say than they may."""
import statistics
import time

from access import ATTACKER, TLS, TOKEN, TOKENS, context, log_in, read_line, secured
from scene import attack
from wire import KIB, MIB, connect, framed, request

WRONG = log_in("lw_" + "w" * 43)
REFUSED = {"-32087": b":-32087,", "-32086": b":-32086,", "-32082": b":-32082,", "let in": b'"principal":'}
WAITING = {"bounds": {"unauthenticatedConnections": 1000}}


def nobody_got_in(scene):
    if scene.counts["let in"]:
        scene.blame(f"{scene.counts['let in']} times somebody was let in who knew no token")


@attack("unknown-1000", door=TOKEN, configuration=WAITING, reaches=("-32082",))
def unknown_1000(scene):
    """1,500 connections that never say who they are, of 1,000 that there may be: who is in is served"""
    scene.crowd(connections=1500, counting=REFUSED).run().close()


@attack("unknown-pings", door=TOKEN, configuration=WAITING, reaches=("answers",))
def unknown_pings(scene):
    """500 connections that do not say who they are, and ping without end"""
    scene.crowd(connections=500, again=request(1, "lastword.ping") * 50, counting=REFUSED).run().close()


@attack("unknown-asks", door=TOKEN, newcomers=True, reaches=("-32087",))
def unknown_asks(scene):
    """64 connections ask everything there is without saying who they are: they see, cancel and join nothing"""
    asks = [request(1, "echo", ["x"], key="honest:1"), request(2, "lastword.inspect", {"key": "honest:1"}),
            request(3, "lastword.cancel", {"key": "honest:1"}), request(4, "rpc.discover"),
            request(None, "lastword.cancel", {"key": "honest:2"}), request(5, "lastword.cancel", {"group": "g"})]
    counting = {**REFUSED, "results": b'"result"'}
    scene.crowd(connections=64, again=b"".join(asks) * 20, counting=counting).run().close()
    if scene.counts["results"]:
        scene.blame(f"{scene.counts['results']} answers to somebody who did not say who it was")


def guesses(scene):
    scene.crowd(connections=64, first=WRONG * 3, counting=REFUSED).run().close()
    nobody_got_in(scene)


@attack("tokens-wrong", door=TOKEN, newcomers=True, reaches=("-32087", "closed"))
def tokens_wrong(scene):
    """64 connections try three wrong tokens each, and come again"""
    guesses(scene)


@attack("tokens-wrong-tls", door=TLS, newcomers=True, reaches=("-32087",))
def tokens_wrong_tls(scene):
    """The same under TLS, one after the other"""
    terms = context()
    scene.begin()
    while not scene.is_finished:
        with secured(scene.connect(), terms) as client:
            client.sendall(WRONG * 3)
            while line := read_line(client):
                scene.counts["-32087"] += b":-32087," in line
                scene.counts["let in"] += b'"principal":' in line
    nobody_got_in(scene)


@attack("tokens-many-tries", door=TOKEN, newcomers=True, reaches=("-32087",))
def tokens_many_tries(scene):
    """Batches of 1,000 wrong tokens, and a right one behind three wrong ones: it does not count"""
    right = log_in(TOKENS[ATTACKER])
    items = [WRONG.rstrip()] * 999 + [right.rstrip()]
    batch = b"[" + b",".join(items) + b"]\n"
    short = b"[" + b",".join([WRONG.rstrip()] * 3 + [right.rstrip()] * 40) + b"]\n"
    crowd = scene.crowd(first=[batch, short, WRONG * 3 + right * 100, short * 20] * 8, counting=REFUSED)
    crowd.run().close()
    nobody_got_in(scene)


LARGE = [request(1, "work", ["x" * MIB]), framed(request(1, "work", ["x" * MIB])), b"[" * MIB,
         b"Content-Length: %d\r\n\r\n{" % (4 * MIB), log_in("t" * 17 * KIB), request(1, "lastword.ping", [0] * 300_000),
         b"Content-Length: 9\r\n" + b"X: y\r\n" * 200_000]


@attack("unknown-large", door=TOKEN, newcomers=True, reaches=("closed",), most_bytes=32 * MIB)
def unknown_large(scene):
    """210 connections send a MiB and more at a time before they say who they are"""
    scene.crowd(first=LARGE * 30, counting=REFUSED).run().close()
    nobody_got_in(scene)


@attack("unknown-half", door=TOKEN, newcomers=True, most_bytes=32 * MIB, shows={"held_bytes": 2 * MIB})
def unknown_half(scene):
    """900 connections send 16,000 bytes of a message that never ends, and do not say who they are"""
    scene.crowd(connections=900, first=b'{"jsonrpc":"2.0","params":["' + b"x" * 16_000, reads=False).run()
    scene.wait()


MOST_TIME_RATIO = 1.15
FEWEST_TRIES = 50


def timed(client, token):
    client.sendall(request(1, "lastword.ping"))
    read_line(client)
    began = time.perf_counter()
    client.sendall(log_in(token))
    read_line(client)
    return time.perf_counter() - began


def time_tokens(scene, near, far):
    """Sends both kinds in turn, each over a connection of its own that is at rest."""
    seconds = {near: [], far: []}
    scene.begin()
    while not scene.is_finished:
        for token in (near, far)[::1 if scene.counts["tries"] % 2 else -1]:
            with connect(scene.port) as client:
                seconds[token].append(timed(client, token))
        scene.counts["tries"] += 1
    judge_times(scene, seconds[near], seconds[far])


NOTHING_ALIKE = "".join("0" if one != "0" else "1" for one in TOKENS[ATTACKER])


@attack("tokens-timed", door=TOKEN, reaches=("tries",))
def tokens_timed(scene):
    """Wrong tokens that share all but the last character with a right one, and none, in turn: how long each takes"""
    right = TOKENS[ATTACKER]
    time_tokens(scene, right[:-1] + ("A" if right[-1] != "A" else "B"), NOTHING_ALIKE)


def judge_times(scene, near, far):
    """Differences of nanoseconds are not seen so; work that grows with what is right would be. The quickest tenth is
    compared: what else the machine does makes others late."""
    if len(far) < FEWEST_TRIES:
        return
    quick = [statistics.quantiles(times, n=10)[0] for times in (near, far)]
    ratio = quick[0] / quick[1]
    scene.notes.append(f"a token that shares all but its end takes {ratio:.3f} times as long as one that shares nothing"
                       f" ({quick[1] * 1e6:.0f} µs, {len(far)} tries of each)")
    if not 1 / MOST_TIME_RATIO < ratio < MOST_TIME_RATIO:
        scene.blame(f"how long a refusal takes tells how much of a token is right: {ratio:.2f} times")


# Whether the suite finds what it is for: here those who do not say who they are may fill all places.
@attack("weak-log-ins", door=TOKEN, newcomers=True, succeeds_by="kept out", seconds=1.5, configuration={
    "bounds": {"authenticateMs": 0, "unauthenticatedConnections": 100_000, "connections": 400}})
def weak_log_ins(scene):
    """500 connections that say nothing, where they may take every place for as long as they like"""
    scene.crowd(connections=500).run().close()


@attack("weak-attempts", door=TOKEN, succeeds_by="fault", seconds=1.5, configuration={
    "bounds": {"authenticateAttempts": 1000}})
def weak_attempts(scene):
    """A right token behind three wrong ones, where there are a thousand attempts"""
    scene.crowd(first=[WRONG * 3 + log_in(TOKENS[ATTACKER])] * 8, counting=REFUSED).run().close()
    nobody_got_in(scene)


@attack("weak-times", door=TOKEN, succeeds_by="fault", seconds=1.5)
def weak_times(scene):
    """One kind of tokens takes longer than the other, since it is long: that is found"""
    time_tokens(scene, NOTHING_ALIKE * 340, NOTHING_ALIKE)
