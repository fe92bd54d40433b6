"""Events that would cost more, the more others hold."""
from scene import attack
from wire import many, request

OPEN = 10_000
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


@attack("line-5000", configuration=DEEP, ask="ping")
def line_5000(scene):
    """5,000 requests come to an upstream's waiting line before 5,000 newer ones"""
    waits_in_line(scene, 5_000)


@attack("line-20000", configuration=DEEP, ask="ping", seconds=3)
def line_20000(scene):
    """20,000 requests come to an upstream's waiting line before 20,000 newer ones"""
    waits_in_line(scene, 20_000)


HOLD = b'{"jsonrpc":"2.0","id":%d,"method":"hold"}\n'


@attack("ids-like-strings")
def ids_like_strings(scene):
    """Cancels of "7" walk over thousands of requests with the id 7"""
    held = request("7", "hold") + request(7, "hold") * (OPEN - 1)
    scene.crowd(first=held, again=request(None, "$/cancelRequest", {"id": "7"}) * 1000).run().close()


@attack("ids-escaped")
def ids_escaped(scene):
    """Cancels of "\\u0037" and of "7", half of which is open, and half is not"""
    held = request(7, "hold") * (OPEN // 2) + request("7", "hold") * (OPEN // 2)
    spelled = b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"\\u0037"}}\n'
    scene.crowd(first=held, again=spelled * 500 + request(None, "$/cancelRequest", {"id": 8}) * 500).run().close()


@attack("ids-the-same")
def ids_the_same(scene):
    """Requests of one and the same id, and as many cancels of it"""
    again = request(7, "hold") * 1000 + request(None, "$/cancelRequest", {"id": 7}) * 1000
    scene.crowd(first=request(7, "hold") * (OPEN - 1000), again=again).run().close()


@attack("ids-unknown")
def ids_unknown(scene):
    """Cancels of ids that are not open, beside 10,000 that are"""
    line = b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":%d}}\n'
    scene.crowd(first=many(OPEN, HOLD), again=many(2000, line, first=OPEN)).run().close()


CONCURRENT = b'{"jsonrpc":"2.0","id":%d,"method":"stubborn","task":{"key":"lane","policy":"concurrent"}}\n'
JOINED = b'{"jsonrpc":"2.0","id":%d,"method":"hold","params":[],"task":{"key":"lane","policy":"preferPrevious"}}\n'
NEWER = b'{"jsonrpc":"2.0","id":%d,"method":"hold","task":{"key":"lane","policy":"cancel"}}\n'
BY_KEY = request(1, "lastword.cancel", {"key": "lane"})
INSPECT = request(1, "lastword.inspect", {"key": "lane"})


def fills_lane(scene, line, connections=5):
    """50,000 of it in one lane, by as many connections as it takes"""
    crowd = scene.crowd(first=[many(OPEN, line)] * connections)
    return crowd.run(until=lambda: crowd.has_written).run(seconds=0.3)


def strikes(scene, line, after, connections=1):
    """The lane is as it must be; now what walks it"""
    scene.crowd(connections=connections, again=line * 500).run().close()
    after.close()


@attack("lane-drains-cancel", seconds=3)
def lane_drains_cancel(scene):
    """50,000 tasks of a lane drain, and cancels by its key go on"""
    crowd = fills_lane(scene, CONCURRENT)
    strikes(scene, BY_KEY, crowd)


@attack("lane-drains-supersede", seconds=3)
def lane_drains_supersede(scene):
    """50,000 tasks of a lane drain, and newer ones supersede each other"""
    crowd = fills_lane(scene, CONCURRENT)
    scene.crowd(first=BY_KEY, again=many(500, NEWER)).run().close()
    crowd.close()


@attack("lane-drains-inspect", seconds=3)
def lane_drains_inspect(scene):
    """50,000 tasks of a lane drain, and it is inspected again and again"""
    crowd = fills_lane(scene, CONCURRENT)
    scene.crowd(first=BY_KEY, again=INSPECT * 100).run().close()
    crowd.close()


@attack("lane-joined-cancel", seconds=3)
def lane_joined_cancel(scene):
    """One answer is joined 50,000 times, and further ones join and cancel"""
    crowd = fills_lane(scene, JOINED)
    one = JOINED % 7 + request(None, "$/cancelRequest", {"id": 7})
    strikes(scene, one, crowd)


@attack("lane-joined-supersede", seconds=3)
def lane_joined_supersede(scene):
    """A lane with 50,000 joined callers is inspected, superseded, and filled again"""
    crowd = fills_lane(scene, JOINED)
    scene.crowd(again=INSPECT * 50 + NEWER % 1).run().close()
    crowd.close()


@attack("lane-on-answer", seconds=4)
def lane_on_answer(scene):
    """Answers of onAnswer come beside 50,000 older tasks of their lane"""
    crowd = fills_lane(scene, CONCURRENT)
    line = b'{"jsonrpc":"2.0","id":%d,"method":"echo","task":{"key":"lane","policy":"onAnswer"}}\n'
    strikes(scene, line % 1, crowd)


@attack("lane-on-answers", seconds=4)
def lane_on_answers(scene):
    """50,000 tasks of onAnswer in one lane are answered at once"""
    line = b'{"jsonrpc":"2.0","id":%d,"method":"large","params":[0,800],"task":{"key":"lane","policy":"onAnswer"}}\n'
    crowd = scene.crowd(first=[many(OPEN, line)] * 5)
    crowd.run().close()


@attack("supersede-flood")
def supersede_flood(scene):
    """One key is superseded as fast as it goes"""
    scene.crowd(connections=4, again=many(1000, NEWER)).run().close()


@attack("deadlines-at-once")
def deadlines_at_once(scene):
    """50,000 deadlines pass in the same millisecond"""
    line = b'{"jsonrpc":"2.0","id":%d,"method":"hold","task":{"timeoutMs":800}}\n'
    crowd = scene.crowd(first=[many(OPEN, line)] * 5)
    crowd.run().close()


@attack("deadlines-of-0")
def deadlines_of_0(scene):
    """Requests whose deadline has passed when they come"""
    scene.crowd(connections=4, again=request(1, "hold", timeoutMs=0) * 1000).run().close()


@attack("joined-answered", seconds=3)
def joined_answered(scene):
    """50,000 callers of one answer get it at once"""
    line = (b'{"jsonrpc":"2.0","id":%d,"method":"large","params":[0,1200],'
            b'"task":{"key":"lane","policy":"preferPrevious"}}\n')
    scene.crowd(first=[many(OPEN, line)] * 5).run().close()


@attack("bursts-at-once")
def bursts_at_once(scene):
    """50,000 debounced requests start in the same millisecond"""
    line = b'{"jsonrpc":"2.0","id":%d,"method":"echo","task":{"key":"b:%d","debounceMs":800,"scope":"connection"}}\n'
    scene.crowd(first=[many(OPEN, line)] * 5).run().close()


@attack("groups")
def groups(scene):
    """Groups are filled and cancelled, one that is empty in between"""
    line = b'{"jsonrpc":"2.0","id":%d,"method":"hold","task":{"group":"g"}}\n'
    many_groups = b'{"jsonrpc":"2.0","id":%d,"method":"hold","task":{"group":"g:%d"}}\n'
    cancel = request(1, "lastword.cancel", {"group": "g"}) + request(2, "lastword.cancel", {"group": "none"}) * 50
    scene.crowd(connections=4, first=many(5_000, many_groups), again=many(1000, line) + cancel).run().close()


@attack("cancels-of-nothing")
def cancels_of_nothing(scene):
    """lastword.cancel of keys, ids and groups that nobody has"""
    one = b"".join(request(1, "lastword.cancel", {what: "nothing"}) for what in ("key", "id", "group"))
    scene.crowd(connections=4, again=one * 300).run().close()


@attack("resets-with-open", seconds=3)
def resets_with_open(scene):
    """Connections are reset with 10,000 open requests each"""
    line = b'{"jsonrpc":"2.0","id":%d,"method":"hold","task":{"key":"r:%d","scope":"connection","group":"g:%d"}}\n'
    for _ in range(1000):
        crowd = scene.crowd(first=many(OPEN, line))
        crowd.run(until=lambda: crowd.has_written).run(seconds=0.05).close()
        if scene.is_finished:
            break
