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


@attack("debounced-notifications")
def debounced_notifications(scene):
    """Notifications with debounceMs of an hour take every place for a task"""
    scene.crowd(first=many(MORE_THAN_ALL, NOTIFICATION)).run().close()


@attack("debounced-reset")
def debounced_reset(scene):
    """The same by connections that are reset as soon as they have written"""
    for number in range(20):
        crowd = scene.crowd(first=many(10_000, NOTIFICATION, first=number * 10_000))
        crowd.run(until=lambda: crowd.has_written).close()


@attack("cancelled-drains")
def cancelled_drains(scene):
    """Requests with drainMs of an hour, each cancelled, that upstream goes on with, take every place for a task"""
    scene.crowd(first=many(MORE_THAN_ALL, STUBBORN)).run().close()


@attack("superseded-drains")
def superseded_drains(scene):
    """The same, each superseded by a newer one of its key"""
    line = many(MORE_THAN_ALL // 2, SUPERSEDED + SUPERSEDED)
    scene.crowd(first=line).run().close()


@attack("disconnected-drains")
def disconnected_drains(scene):
    """The same, by connections that are reset with 10,000 open requests each"""
    for number in range(16):
        crowd = scene.crowd(first=many(10_000, SUPERSEDED, first=number * 10_000))
        crowd.run(until=lambda: crowd.has_written).close()
        if scene.is_finished:
            break
    scene.wait()


@attack("waiters")
def waiters(scene):
    """One answer is joined 150,000 times, of 200,000 that there may be"""
    line = (b'{"jsonrpc":"2.0","id":%d,"method":"hold","params":[],'
            b'"task":{"key":"joined","policy":"preferPrevious"}}\n')
    scene.crowd(first=[many(10_000, line, first=number * 10_000) for number in range(15)]).run().close()
