"""Connections of clients and of those who watch."""
import socket
import time

from scene import attack
from wire import many, request, reset

GET = b"GET %b HTTP/1.1\r\nHost: localhost\r\n\r\n"


def is_not_live(gateway):
    return None if gateway.is_live() else "/livez did not say 200"


def is_not_healthy(gateway):
    return None if gateway.is_healthy() else "lastword health failed"


# All the while the program must say that it is well: otherwise it would be started anew, and all that it does be lost.
WATCHED = [is_not_live, is_not_healthy]
HELD = b'{"jsonrpc":"2.0","id":%d,"method":"hold","task":{"key":"held:%d"}}\n'


@attack("connects", shows={"client_connections_opened_total": 300})
def connects(scene):
    """Connections are opened and closed as fast as it goes"""
    scene.begin()
    while not scene.is_finished:
        client = scene.connect()
        (reset if scene.counts["opened"] % 2 else socket.socket.close)(client)
        scene.counts["opened"] += 1


@attack("connects-asking", shows={'requests_ended_total{outcome="abandoned"}': 50})
def connects_asking(scene):
    """Connections are opened, ask once, and are reset"""
    scene.begin()
    while not scene.is_finished:
        client = scene.connect()
        client.sendall(request(1, "work"))
        reset(client)
        scene.counts["opened"] += 1


CHILDREN = 20


def too_many_children(gateway):
    # Those whose connection has gone have a moment to leave.
    if gateway.children() > 2 * CHILDREN:
        return f"more than {2 * CHILDREN} children, of {CHILDREN}"
    return None


@attack("connects-children", checks=[too_many_children], shows={'requests_ended_total{outcome="abandoned"}': 30},
        configuration={
    "bounds": {"privateUpstreams": CHILDREN},
    "upstream": [{"name": "child", "address": "exec:cat", "perConnection": True}],
    "route": [{"method": "note", "upstream": "child"}]})
def connects_children(scene):
    """Connections for each of which a child is started are opened and reset as fast as it goes"""
    scene.begin()
    while not scene.is_finished:
        client = scene.connect()
        client.sendall(request(1, "note"))
        time.sleep(0.002)
        reset(client)
        scene.counts["opened"] += 1


@attack("connections-idle", configuration={"bounds": {"connections": 1000}}, checks=WATCHED,
        shows={"client_connections": 990})
def connections_idle(scene):
    """As many connections as there may be, and more, that say nothing"""
    clients = [scene.connect() for _ in range(1500)]
    scene.counts["opened"] = len(clients)
    scene.wait()
    for client in clients:
        client.close()


@attack("connections-refused", configuration={"bounds": {"connections": 1000}}, reaches=("refused",),
        shows={"client_connections": 990})
def connections_refused(scene):
    """All connections are taken, and more are tried as fast as it goes"""
    clients = [scene.connect() for _ in range(1000)]
    while not scene.is_finished:
        scene.connect().close()
        scene.counts["refused"] += 1
    for client in clients:
        client.close()


PAGES = {"pages": b"HTTP/1.1 200 OK"}
HELD_SHOWN = {"reaches": ("pages",), "shows": {'tasks{state="running"}': 8_000}}


def pipelines(scene, path, connections=1):
    crowd = scene.crowd(first=many(9_000, HELD))
    crowd.run(until=lambda: crowd.has_written).run(seconds=0.1)
    scene.crowd(port=scene.admin_port, connections=connections, again=GET % path * 500, counting=PAGES).run().close()
    crowd.close()


@attack("admin-metrics", **HELD_SHOWN)
def admin_metrics(scene):
    """One connection pipelines GET /metrics"""
    pipelines(scene, b"/metrics")


@attack("admin-keys", **HELD_SHOWN)
def admin_keys(scene):
    """One connection pipelines GET /keys, while there are 9,000"""
    pipelines(scene, b"/keys")


@attack("admin-livez", **HELD_SHOWN)
def admin_livez(scene):
    """8 connections pipeline GET /livez"""
    pipelines(scene, b"/livez", connections=8)


@attack("admin-unread", checks=WATCHED, reaches=("pages unread",))
def admin_unread(scene):
    """One connection pipelines GET /metrics and reads nothing"""
    crowd = scene.crowd(port=scene.admin_port, again=GET % b"/metrics" * 500, reads=False, receive_bytes=4096).run()
    scene.counts["pages unread"] += sum(data.startswith(PAGES["pages"]) for data in crowd.unread())
    crowd.close()


@attack("admin-pages", checks=WATCHED, reaches=("pages",))
def admin_pages(scene):
    """64 connections ask for every page as fast as it goes, while the program is asked how it is"""
    paths = [b"/", b"/metrics", b"/config", b"/keys", b"/nothing"]
    scene.crowd(port=scene.admin_port, connections=64, again=b"".join(GET % path for path in paths) * 20,
                counting=PAGES).run().close()


ADMIN_SHOWN = {"descriptors": 40}


def half_asks(scene, connections):
    clients = [scene.connect(scene.admin_port) for _ in range(connections)]
    for client in clients:
        try:
            client.sendall(b"GET /livez HTTP/1.1\r\nHost: local")
        except OSError:
            scene.counts["refused"] += 1
    scene.wait()
    for client in clients:
        client.close()


@attack("admin-half-64", checks=WATCHED, shows=ADMIN_SHOWN)
def admin_half_64(scene):
    """64 half requests at the admin address, while the program is asked how it is"""
    half_asks(scene, 64)


@attack("admin-half-500", checks=WATCHED, shows=ADMIN_SHOWN)
def admin_half_500(scene):
    """500 half requests at the admin address, while the program is asked how it is"""
    half_asks(scene, 500)


@attack("admin-idle", checks=WATCHED, shows=ADMIN_SHOWN)
def admin_idle(scene):
    """64 connections at the admin address that say nothing, and 16 that follow events"""
    following = scene.crowd(port=scene.admin_port, connections=16, first=GET % b"/events")
    clients = [scene.connect(scene.admin_port) for _ in range(64)]
    following.run()
    following.close()
    for client in clients:
        client.close()
