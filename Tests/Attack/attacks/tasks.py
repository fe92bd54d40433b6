"""Places that one client takes and does not give back."""
from scene import attack
from wire import many

# So that those that come free for a moment are taken, too.
MORE_THAN_ALL = 150_000
NOTIFICATION = b'{"jsonrpc":"2.0","method":"echo","params":[%d],"task":{"key":"d:%d","debounceMs":3600000}}\n'
DEBOUNCED = b'{"jsonrpc":"2.0","id":%d,"method":"echo","task":{"key":"d:%d","debounceMs":3600000}}\n'
STUBBORN = (b'{"jsonrpc":"2.0","id":%d,"method":"stubborn","task":{"key":"s:%d","drainMs":3600000}}\n'
            b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":%d}}\n')
SUPERSEDED = b'{"jsonrpc":"2.0","id":%d,"method":"stubborn","task":{"key":"s:%d","drainMs":3600000}}\n'


@attack("debounced-notifications", shows={'tasks{state="queued"}': 5_000})
def debounced_notifications(scene):
    """Notifications with debounceMs of an hour take every place for a task"""
    scene.crowd(first=many(MORE_THAN_ALL, NOTIFICATION)).run().close()


@attack("debounced-reset", shows={"notifications_total": 3_000})
def debounced_reset(scene):
    """The same by connections that are reset as soon as they have written"""
    for number in range(20):
        crowd = scene.crowd(first=many(10_000, NOTIFICATION, first=number * 10_000))
        crowd.run(until=lambda: crowd.has_written).close()


@attack("cancelled-drains", shows={'tasks{state="draining"}': 3_000})
def cancelled_drains(scene):
    """Requests with drainMs of an hour, each cancelled, that upstream goes on with, take every place for a task"""
    scene.crowd(first=many(MORE_THAN_ALL, STUBBORN)).run().close()


@attack("superseded-drains", shows={'tasks{state="draining"}': 2_000})
def superseded_drains(scene):
    """The same, each superseded by a newer one of its key"""
    line = many(MORE_THAN_ALL // 2, SUPERSEDED + SUPERSEDED)
    scene.crowd(first=line).run().close()


@attack("disconnected-drains", shows={'tasks{state="draining"}': 3_000})
def disconnected_drains(scene):
    """The same, by connections that are reset with 10,000 open requests each"""
    for number in range(16):
        crowd = scene.crowd(first=many(10_000, SUPERSEDED, first=number * 10_000))
        crowd.run(until=lambda: crowd.has_written).close()
        if scene.is_finished:
            break
    scene.wait()


# As many callers as may share an answer.
CALLERS = 1000


@attack("waiters", shows={"requests_joined_total": 50_000})
def waiters(scene):
    """150 answers are joined 1,000 times each: 150,000 callers wait, of 200,000 that there may be"""
    line = (b'{"jsonrpc":"2.0","id":%%d,"method":"hold","params":[],'
            b'"task":{"key":"joined:%d","policy":"preferPrevious"}}\n')
    first = [b"".join(many(CALLERS, line % (10 * number + key), first=CALLERS * key) for key in range(10))
             for number in range(15)]
    scene.crowd(first=first).run().close()
