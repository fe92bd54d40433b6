"""What all connections of a principal may take together: places, and what is left behind by those that go."""
import http.client
import json

from access import ATTACKER, BOUNDED, CERTIFICATE, PRINCIPALS, QUOTAS, TOKEN, TOKENS, log_in, read_line
from scene import attack
from wire import HOUR, cancel, many, request, reset


def look(gateway):
    """What the admin page says of each principal."""
    asked = http.client.HTTPConnection("127.0.0.1", gateway.admin_port, timeout=5)
    try:
        asked.request("GET", "/principals")
        return {one["principal"]: one for one in json.loads(asked.getresponse().read())["principals"]}
    finally:
        asked.close()


def within_quotas(gateway):
    """A check: nobody has more than its quotas at any moment."""
    try:
        found = look(gateway)
    except (OSError, http.client.HTTPException) as error:
        return f"the page of principals does not answer: {type(error).__name__}"
    for name, one in found.items():
        for what, shown in (("connections", "connections"), ("tasks", "tasks"), ("payloadBytes", "requestBytes")):
            if one[shown] > QUOTAS[what]:
                return f"{name} has more than its {what}"
    return None


COMING, TRIES, TIMES_SECONDS = 100, 200, 0.1
COUNTED = {"-32082": b"too many connections of this principal", "told": b'"retryAfterMs":', "let in": b'"result":'}


def comes_again(scene, most):
    """Others of the same principal come while all its places are taken, try as fast as it goes, go, and come anew."""
    steady = [scene.enter() for _ in range(most)]
    tries = many(TRIES, log_in(TOKENS[ATTACKER], 0).replace(b'"id":0', b'"id":%d'))
    counts = scene.counts
    while not scene.is_finished:
        crowd = scene.crowd(connections=COMING, again=tries, counting=COUNTED).run(seconds=TIMES_SECONDS)
        # The last of each connection may have come in part.
        if crowd.counts["-32082"] - crowd.counts["told"] > COMING:
            scene.blame("who is one too many is not told when to come again")
        crowd.close()
        counts += crowd.counts
        scene.counts = counts
        takes_the_place(scene, steady)
    judge_places(scene, steady)


def judge_places(scene, steady):
    if scene.counts["let in"]:
        scene.blame(f"{scene.counts['let in']} times one was let in beyond the quota")
    for client in steady:
        reset(client)


def takes_the_place(scene, steady):
    """Once one has gone the next one gets in, and no sooner than it has gone."""
    reset(steady.pop())
    for _ in range(100):
        try:
            steady.append(scene.enter())
            scene.counts["places taken"] += 1
            return
        except OSError:
            scene.stopping.wait(0.02)
    scene.blame("the place of a connection that has gone was not given to the next one")


@attack("connects-over-quota", door=TOKEN, newcomers=True, configuration={"principal": BOUNDED},
        checks=[within_quotas], reaches=("-32082", "places taken"))
def connects_over_quota(scene):
    """100 connections more than a principal's 20 log in as fast as it goes, go, and come again"""
    comes_again(scene, QUOTAS["connections"])


@attack("connects-over-quota-tls", door=CERTIFICATE, newcomers=True, configuration={"principal": BOUNDED},
        checks=[within_quotas], reaches=("refused",))
def connects_over_quota_tls(scene):
    """The same by certificate, one after the other"""
    steady = [scene.enter() for _ in range(QUOTAS["connections"])]
    while not scene.is_finished:
        answer = b""
        try:
            with scene.enter() as client:
                client.sendall(request(1, "lastword.ping"))
                answer = read_line(client)
        except OSError:
            pass
        scene.counts["let in" if b'"result"' in answer else "refused"] += 1
    judge_places(scene, steady)


@attack("weak-connections", door=TOKEN, configuration={"principal": PRINCIPALS}, succeeds_by="fault", seconds=1.5)
def weak_connections(scene):
    """The same where a principal may have a thousand connections"""
    comes_again(scene, QUOTAS["connections"])


STUBBORN = (b'{"jsonrpc":"2.0","id":%%d,"method":"stubborn","params":["%b"],'
            b'"task":{"key":"k:%%d","policy":"wait","drainMs":%d}}\n')


def leaves_behind(scene):
    """Connections ask for what does not end, ask for it to drain for an hour, and go at once, some with a cancel."""
    asked = many(400, STUBBORN % (b"x" * 512, HOUR))
    taken = b"".join(map(cancel, range(400)))
    scene.begin()
    while not scene.is_finished:
        for last in (b"", taken):
            try:
                client = scene.enter()
            except OSError:
                continue
            client.sendall(asked + last)
            scene.counts["left"] += 400
            reset(client)
    scene.counts["upstream heard"] = scene.heard("stubborn")


def nothing_left(gateway, counts):
    """What nobody waits for any more ends by the operator's time, however long it was to last."""
    gateway.settle(lambda: not look(gateway)[ATTACKER]["tasks"])
    left = look(gateway)[ATTACKER]
    if left["tasks"] or left["requestBytes"]:
        yield f"the attacker still has what it left: {left}"
    if not left["refused"]:
        yield "nothing was shown: the attacker was never beyond its quotas"


@attack("left-behind", door=TOKEN, newcomers=True, configuration={"principal": BOUNDED}, seconds=3,
        checks=[within_quotas], afterwards=[nothing_left], reaches=("upstream heard",))
def left_behind(scene):
    """Connections with 400 requests that do not end go at once, again and again: 500 tasks are all there are"""
    leaves_behind(scene)


@attack("weak-left-behind", door=TOKEN, succeeds_by="fault", configuration={"principal": PRINCIPALS}, seconds=1.5,
        checks=[within_quotas])
def weak_left_behind(scene):
    """The same with a quota of 10,000 tasks"""
    leaves_behind(scene)
