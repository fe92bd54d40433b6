"""Events that would cost more, the more others hold."""
from scene import attack
from wire import MIB, many, request

OPEN = 10_000
# What the gateway counts.
IN_LINE, RECEIVED = 'upstream_requests_waiting{upstream="theirs"}', 'received_bytes_total{peer="client"}'
DRAINING, RUNNING = 'tasks{state="draining"}', 'tasks{state="running"}'


def ended(outcome, fewest):
    return {f'requests_ended_total{{outcome="{outcome}"}}': fewest}


DEEP = {"theirs": {"maxInFlight": 8}}
LATER = b'{"jsonrpc":"2.0","id":%d,"method":"slow","params":[2000],"task":{"key":"w:%d","debounceMs":400}}\n'
NOW = b'{"jsonrpc":"2.0","id":%d,"method":"slow","params":[2000],"task":{"key":"n:%d"}}\n'


def waits_in_line(scene, count):
    """Half of it is admitted first and comes to the line last, where its place is at the front"""
    crowd = scene.crowd(first=[many(min(count, OPEN), LATER, first=first)
                               for first in range(0, count, OPEN)])
    crowd.run(until=lambda: crowd.has_written)
    behind = scene.crowd(first=[many(min(count, OPEN), NOW, first=first) for first in range(0, count, OPEN)])
    behind.run()
    for one in (crowd, behind):
        one.close()


@attack("line-5000", configuration=DEEP, ask="ping", shows={IN_LINE: 4_000})
def line_5000(scene):
    """5,000 requests come to an upstream's waiting line before 5,000 newer ones"""
    waits_in_line(scene, 5_000)


@attack("line-20000", configuration=DEEP, ask="ping", seconds=3, latest_ms=15, shows={IN_LINE: 15_000})
def line_20000(scene):
    """20,000 requests come to an upstream's waiting line before 20,000 newer ones"""
    waits_in_line(scene, 20_000)


HOLD = b'{"jsonrpc":"2.0","id":%d,"method":"hold"}\n'


@attack("ids-like-strings", shows={"requests_open": 5_000, RECEIVED: 4 * MIB})
def ids_like_strings(scene):
    """Cancels of "7" walk over thousands of requests with the id 7"""
    held = request("7", "hold") + request(7, "hold") * (OPEN - 1)
    scene.crowd(first=held, again=request(None, "$/cancelRequest", {"id": "7"}) * 1000).run().close()


@attack("ids-escaped", shows=ended("cancelled", 2_000))
def ids_escaped(scene):
    """Cancels of "\\u0037" and of "7", half of which is open, and half is not"""
    held = request(7, "hold") * (OPEN // 2) + request("7", "hold") * (OPEN // 2)
    spelled = b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"\\u0037"}}\n'
    scene.crowd(first=held, again=spelled * 500 + request(None, "$/cancelRequest", {"id": 8}) * 500).run().close()


@attack("ids-the-same", shows=ended("cancelled", 5_000))
def ids_the_same(scene):
    """Requests of one and the same id, and as many cancels of it"""
    again = request(7, "hold") * 1000 + request(None, "$/cancelRequest", {"id": 7}) * 1000
    scene.crowd(first=request(7, "hold") * (OPEN - 1000), again=again).run().close()


@attack("ids-unknown", shows={"requests_open": 5_000, RECEIVED: 4 * MIB})
def ids_unknown(scene):
    """Cancels of ids that are not open, beside 10,000 that are"""
    line = b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":%d}}\n'
    scene.crowd(first=many(OPEN, HOLD), again=many(2000, line, first=OPEN)).run().close()


CONCURRENT = b'{"jsonrpc":"2.0","id":%d,"method":"stubborn","task":{"key":"lane","policy":"concurrent"}}\n'
JOINED = b'{"jsonrpc":"2.0","id":%d,"method":"hold","params":[],"task":{"key":"lane","policy":"preferPrevious"}}\n'
NEWER = b'{"jsonrpc":"2.0","id":%d,"method":"hold","task":{"key":"lane","policy":"cancel"}}\n'
# Such as others may join, since it asks the same.
ALIKE = NEWER.replace(b'"task"', b'"params":[],"task"')
BY_KEY = request(1, "lastword.cancel", {"key": "lane"})
INSPECT = request(1, "lastword.inspect", {"key": "lane"})


# As many tasks as a lane may have (tasksPerLane), as many callers as a task (callersPerTask), and a few less.
LANE, CALLERS, PLACES = 4096, 1024, 96


def fills_lane(scene, line, each=OPEN):
    """By several connections; what is beyond the bounds is refused."""
    crowd = scene.crowd(first=[many(each, line)] * 5)
    return crowd.run(until=lambda: crowd.has_written).run(seconds=0.3)


def strikes(scene, line, after, connections=1):
    """The lane is as it must be; now what walks it"""
    scene.crowd(connections=connections, again=line * 500).run().close()
    after.close()


@attack("lane-drains-cancel", seconds=3, reaches=("results",), shows={DRAINING: 3_000})
def lane_drains_cancel(scene):
    """As many tasks of a lane drain as it may have, of 50,000 asked for, and cancels by its key go on"""
    crowd = fills_lane(scene, CONCURRENT)
    strikes(scene, BY_KEY, crowd)


@attack("lane-drains-supersede", seconds=3, shows={DRAINING: 3_000, **ended("superseded", 5_000)})
def lane_drains_supersede(scene):
    """The same, and newer ones supersede each other"""
    crowd = fills_lane(scene, CONCURRENT)
    scene.crowd(first=BY_KEY, again=many(500, NEWER)).run().close()
    crowd.close()


@attack("lane-drains-inspect", seconds=3, reaches=("results",), shows={DRAINING: 3_000})
def lane_drains_inspect(scene):
    """The same, and it is inspected again and again"""
    crowd = fills_lane(scene, CONCURRENT)
    scene.crowd(first=BY_KEY, again=INSPECT * 100).run().close()
    crowd.close()


@attack("lane-joined-cancel", seconds=3, shows={"requests_joined_total": 2_000, **ended("cancelled", 1_000)})
def lane_joined_cancel(scene):
    """One answer is joined as often as it may but for a few, and further ones join and cancel"""
    crowd = fills_lane(scene, JOINED, (CALLERS - PLACES) // 5)
    one = JOINED % 7 + request(None, "$/cancelRequest", {"id": 7})
    strikes(scene, one, crowd)


@attack("lane-joined-supersede", seconds=3, shows={"requests_joined_total": 3_000, **ended("superseded", 3_000)})
def lane_joined_supersede(scene):
    """A task with as many callers as it may have is inspected, superseded, and joined as often again"""
    crowd = fills_lane(scene, JOINED)
    scene.crowd(again=INSPECT * 50 + ALIKE % 1 + many(CALLERS, JOINED, first=2)).run().close()
    crowd.close()


@attack("lane-on-answer", seconds=4, reaches=("results",), shows={RUNNING: 3_000})
def lane_on_answer(scene):
    """Answers of onAnswer come beside as many older tasks of their lane as it may have but for a few"""
    crowd = fills_lane(scene, CONCURRENT, (LANE - PLACES) // 5)
    line = b'{"jsonrpc":"2.0","id":%d,"method":"echo","task":{"key":"lane","policy":"onAnswer"}}\n'
    strikes(scene, line % 1, crowd)


@attack("lane-on-answers", seconds=4, shows=ended("delivered", 3_000))
def lane_on_answers(scene):
    """As many tasks of onAnswer as a lane may have, of 50,000 asked for, are answered at once"""
    line = b'{"jsonrpc":"2.0","id":%d,"method":"large","params":[0,800],"task":{"key":"lane","policy":"onAnswer"}}\n'
    crowd = scene.crowd(first=[many(OPEN, line)] * 5)
    crowd.run().close()


@attack("supersede-flood", shows=ended("superseded", 10_000))
def supersede_flood(scene):
    """One key is superseded as fast as it goes"""
    scene.crowd(connections=4, again=many(1000, NEWER)).run().close()


@attack("deadlines-at-once", shows=ended("expired", 30_000))
def deadlines_at_once(scene):
    """50,000 deadlines pass in the same millisecond"""
    line = b'{"jsonrpc":"2.0","id":%d,"method":"hold","task":{"timeoutMs":800}}\n'
    crowd = scene.crowd(first=[many(OPEN, line)] * 5)
    crowd.run().close()


@attack("deadlines-of-0", shows=ended("expired", 10_000))
def deadlines_of_0(scene):
    """Requests whose deadline has passed when they come"""
    scene.crowd(connections=4, again=request(1, "hold", timeoutMs=0) * 1000).run().close()


@attack("joined-answered", seconds=3, shows={"requests_joined_total": 30_000, **ended("delivered", 30_000)})
def joined_answered(scene):
    """50,000 callers of 50 answers, nearly as many of each as there may be, get them at once"""
    line = (b'{"jsonrpc":"2.0","id":%%d,"method":"large","params":[0,1200],'
            b'"task":{"key":"lane:%d","policy":"preferPrevious"}}\n')
    first = [b"".join(many(1000, line % (10 * number + key), first=1000 * key) for key in range(10))
             for number in range(5)]
    scene.crowd(first=first).run().close()


@attack("bursts-at-once", latest_ms=25, shows=ended("delivered", 30_000))
def bursts_at_once(scene):
    """50,000 debounced requests start in the same millisecond"""
    line = b'{"jsonrpc":"2.0","id":%d,"method":"echo","task":{"key":"b:%d","debounceMs":800,"scope":"connection"}}\n'
    scene.crowd(first=[many(OPEN, line)] * 5).run().close()


@attack("groups", shows=ended("cancelled", 10_000))
def groups(scene):
    """Groups are filled and cancelled, one that is empty in between"""
    line = b'{"jsonrpc":"2.0","id":%d,"method":"hold","task":{"group":"g"}}\n'
    many_groups = b'{"jsonrpc":"2.0","id":%d,"method":"hold","task":{"group":"g:%d"}}\n'
    cancel = request(1, "lastword.cancel", {"group": "g"}) + request(2, "lastword.cancel", {"group": "none"}) * 50
    scene.crowd(connections=4, first=many(5_000, many_groups), again=many(1000, line) + cancel).run().close()


@attack("cancels-of-nothing", reaches=("results",))
def cancels_of_nothing(scene):
    """lastword.cancel of keys, ids and groups that nobody has"""
    one = b"".join(request(1, "lastword.cancel", {what: "nothing"}) for what in ("key", "id", "group"))
    scene.crowd(connections=4, again=one * 300).run().close()


@attack("resets-with-open", seconds=3, shows=ended("abandoned", 20_000))
def resets_with_open(scene):
    """Connections are reset with 10,000 open requests each"""
    line = b'{"jsonrpc":"2.0","id":%d,"method":"hold","task":{"key":"r:%d","scope":"connection","group":"g:%d"}}\n'
    for _ in range(1000):
        crowd = scene.crowd(first=many(OPEN, line))
        crowd.run(until=lambda: crowd.has_written).run(seconds=0.05).close()
        if scene.is_finished:
            break
