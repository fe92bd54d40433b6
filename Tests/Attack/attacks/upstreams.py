"""What one client's requests cost others of the same upstream."""
from scene import attack
from wire import HOUR, many, request

SLOW = b'{"jsonrpc":"2.0","id":%d,"method":"slow","params":[5],"task":{"key":"slow:%d","scope":"connection"}}\n'
FEW = {"main": {"maxInFlight": 16}}


def waiting(count):
    """So many have to have waited for the shared upstream at once."""
    return {'upstream_requests_waiting{upstream="main"}': count}


@attack("slow-requests", configuration=FEW, shares_upstream=True, shows=waiting(4_000))
def slow_requests(scene):
    """One client's slow requests fill maxInFlight of the shared upstream"""
    scene.crowd(first=many(9_000, SLOW)).run().close()


@attack("slow-requests-4", configuration=FEW, shares_upstream=True, shows=waiting(10_000))
def slow_requests_4(scene):
    """The same by 4 connections, which leave each the fifth part"""
    scene.crowd(connections=4, first=many(9_000, SLOW)).run().close()


HELD = b'{"jsonrpc":"2.0","id":%d,"method":"hold"}\n'


@attack("held-requests", configuration=FEW, shares_upstream=True, shows=waiting(4_000))
def held_requests(scene):
    """One client asks the shared upstream for more than maxInFlight that is never answered"""
    scene.crowd(first=many(9_000, HELD)).run().close()


@attack("held-drains", configuration=FEW, shares_upstream=True, shows={'tasks{state="draining"}': 10})
def held_drains(scene):
    """The same, of a method that does not end when it is cancelled, and each cancelled at once"""
    line = (b'{"jsonrpc":"2.0","id":%d,"method":"stubborn"}\n'
            b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":%d}}\n')
    scene.crowd(first=many(4_000, line)).run().close()


@attack("slow-debounced", configuration=FEW, shares_upstream=True, shows=waiting(4_000))
def slow_debounced(scene):
    """The same, older than what others ask for, since it was debounced"""
    line = SLOW.replace(b'"scope"', b'"debounceMs":200,"scope"')
    scene.crowd(first=many(9_000, line)).run().close()


@attack("fast-requests", configuration=FEW, shares_upstream=True, shows=waiting(1_000))
def fast_requests(scene):
    """Two clients ask the shared upstream as fast as it goes"""
    line = b'{"jsonrpc":"2.0","id":%d,"method":"work","params":[1]}\n'
    scene.crowd(connections=2, again=many(9_000, line)).run().close()


@attack("cancelled-requests", configuration=FEW, shares_upstream=True,
        shows={'requests_ended_total{outcome="cancelled"}': 5_000})
def cancelled_requests(scene):
    """Requests to the shared upstream, each cancelled at once"""
    line = (b'{"jsonrpc":"2.0","id":%d,"method":"work","params":[1]}\n'
            b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":%d}}\n')
    scene.crowd(again=many(9_000, line)).run().close()


@attack("unread-shared", configuration=FEW, shares_upstream=True, most_bytes=96 << 20, reaches=("unread",))
def unread_shared(scene):
    """Large answers of the shared upstream that one client never reads"""
    scene.crowd(again=request(1, "large", [256, 1]) * 20, reads=False, receive_bytes=4096).run().close()


NOTED = b'{"jsonrpc":"2.0","method":"note","params":[%d]}\n'


def notes(scene):
    scene.crowd(again=many(2_000, NOTED)).run().close()


@attack("notifications-tcp", shows={"notifications_total": 10_000})
def notifications_tcp(scene):
    """Notifications as fast as it goes to an upstream of others"""
    scene.crowd(again=many(2_000, NOTED.replace(b"note", b"work"))).run().close()


@attack("notifications-http", asks_web=True, kept_descriptors=64, most_bytes=128 << 20,
        shows={"notifications_total": 10_000},
        configuration={"route": [{"method": "note", "upstream": "web"}]})
def notifications_http(scene):
    """Notifications as fast as it goes to an HTTP upstream"""
    notes(scene)


CHILDREN = 4


def too_many_children(gateway):
    # One that has ended and one that begins may meet.
    if gateway.children() > CHILDREN + 1:
        return f"more than {CHILDREN} children at once"
    return None


@attack("notifications-exec", checks=[too_many_children], most_bytes=128 << 20,
        shows={"notifications_total": 5_000}, configuration={
    "upstream": [{"name": "child", "address": "exec:cat", "hard": True, "maxInFlight": CHILDREN}],
    "route": [{"method": "note", "upstream": "child"}]})
def notifications_exec(scene):
    """Notifications as fast as it goes to an upstream that starts a child for each"""
    notes(scene)


@attack("drain-lock", ask="shared", shares_upstream=True, pause_seconds=2.0, shows={'tasks{state="draining"}': 4})
def drain_lock(scene):
    """Four requests with drainMs of an hour on one key that others share, left behind by their client"""
    line = b'{"jsonrpc":"2.0","id":%d,"method":"stubborn","task":{"key":"shared","policy":"concurrent","drainMs":%d}}\n'
    crowd = scene.crowd(first=b"".join(line % (number, HOUR) for number in range(4)))
    crowd.run(until=lambda: crowd.has_written)
    scene.wait(0.3)
    crowd.close()


@attack("drain-lock-held", ask="shared", shares_upstream=True, pause_seconds=2.0,
        shows={'tasks{state="draining"}': 4})
def drain_lock_held(scene):
    """The same, cancelled by a client that goes only later"""
    line = b'{"jsonrpc":"2.0","id":%d,"method":"stubborn","task":{"key":"shared","policy":"concurrent","drainMs":%d}}\n'
    lines = b"".join(line % (number, HOUR) for number in range(4))
    crowd = scene.crowd(first=lines + request(None, "lastword.cancel", {"key": "shared"}))
    crowd.run()
    crowd.close()


STOLEN = "was given the answer to another's question"


@attack("join-always", ask="echo", reaches=("asked", "refused"))
def join_always(scene):
    """join: always by another method and other params, to hear what others are answered"""
    victim, thief = scene.connect(), scene.connect()
    for number in range(20):
        key = f"secret:{number}"
        victim.sendall(request(number, "large", [1, 60], key=key))
        scene.wait(0.02)
        thief.sendall(request(number, "echo", ["mine"], key=key, policy="preferPrevious", join="always"))
        answer = thief.makefile("rb").readline()
        scene.counts["asked"] += 1
        scene.counts["stolen"] += b'"xxxx' in answer
        # Who else may join is the operator's to say; before, the answer that is to be stolen has to be on its way.
        scene.counts["refused"] += b'"error":' in answer
        if scene.is_finished:
            break
    if scene.counts["stolen"]:
        scene.faults.append(f"the attacker {STOLEN}")
    for client in (victim, thief):
        client.close()


# Whether the suite finds what it is for: these bounds allow what the attacks are after.
@attack("weak-upstream", configuration={"main": {"maxInFlight": 1}}, shares_upstream=True, succeeds_by="late",
        seconds=1.5)
def weak_upstream(scene):
    """A slow request at a time, where upstream may be asked no more than one"""
    scene.crowd(again=many(500, SLOW.replace(b"[5]", b"[60]"))).run().close()


@attack("weak-share", configuration={"main": FEW["main"] | {"maxInFlightPerConnection": 16}}, shares_upstream=True,
        succeeds_by="late", seconds=1.5)
def weak_share(scene):
    """Requests that are never answered, where one client may have all of maxInFlight"""
    scene.crowd(first=many(500, HELD)).run().close()


@attack("weak-tasks", succeeds_by="errors", seconds=1.5, configuration={
    "bounds": {"tasks": 20_000, "unansweredPerConnection": 2_000_000, "tasksPerConnection": 2_000_000}})
def weak_tasks(scene):
    """One client holds more requests than there are places for all, as its own bound allows"""
    scene.crowd(first=many(60_000, b'{"jsonrpc":"2.0","id":%d,"method":"hold"}\n')).run().close()
