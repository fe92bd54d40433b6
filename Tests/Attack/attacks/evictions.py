"""An operator ends the connections of one principal, while it and others are at work."""
import http.client
import json
import secrets
import threading

from access import ATTACKER, HONEST, OTHER, TLS, TOKEN, digest
from attacks.revoked import CONNECTIONS, cancels, judge_work, last_words, works
from scene import attack
from wire import many

# Of the admin pages: to end connections takes one.
ADMIN_TOKEN = f"lw_{secrets.token_urlsafe(32)}"
KNOWN = {"admin": {"token": digest(ADMIN_TOKEN)}}
EVICTED = b'"id":null,"error":{"code":-32085,'
WORK = many(200, b'{"jsonrpc":"2.0","id":%d,"method":"work","params":[1]}\n')


def post(scene, target, token=ADMIN_TOKEN):
    """Gives the status, and how many connections were ended."""
    asked = http.client.HTTPConnection("127.0.0.1", scene.admin_port, timeout=10)
    try:
        asked.request("POST", target, headers={"Authorization": f"Bearer {token}"} if token else {})
        answer = asked.getresponse()
        body = answer.read()
        return answer.status, json.loads(body)["evicted"] if answer.status == 200 else 0
    finally:
        asked.close()


def judge_evicted(scene, clients):
    for client in clients:
        words = last_words(client)
        if words is None:
            scene.blame("a connection stayed that the operator had ended")
        elif EVICTED not in words:
            scene.blame(f"a connection ended without -32085: {words[-200:]!r}")
        else:
            scene.counts["ended"] += 1
        client.close()


def evicts(scene):
    """Again and again, beside a principal who asks as fast as it goes."""
    flood = scene.principals(connections=4, again=WORK)
    flooding = threading.Thread(target=flood.run)
    flooding.start()
    # The one who floods is at its quotas.
    observer = scene.enter(HONEST)
    while not scene.is_finished:
        clients, before = works(scene), cancels(observer)
        status, count = post(scene, f"/evict?principal={OTHER}")
        if (status, count) != (200, CONNECTIONS):
            scene.blame(f"to end {CONNECTIONS} connections was answered {status} and {count}")
        judge_evicted(scene, clients)
        judge_work(scene, observer, before)
    flooding.join()
    if scene.counts["closed"]:
        scene.blame(f"{scene.counts['closed']} connections of another principal were ended")
    observer.close()
    flood.close()


@attack("principal-evicted", door=TOKEN, newcomers=True, configuration=KNOWN,
        reaches=("ended", "taken back", "results"))
def evicted(scene):
    """The operator ends 20 connections with 4,000 requests beside a flood of another principal, which goes on"""
    evicts(scene)


@attack("principal-evicted-tls", door=TLS, newcomers=True, configuration=KNOWN,
        reaches=("ended", "taken back", "results"))
def evicted_tls(scene):
    """The same under TLS"""
    evicts(scene)


@attack("evicted-again", door=TOKEN, newcomers=True, configuration=KNOWN, reaches=("ended", "closed", "results"))
def evicted_again(scene):
    """Whoever is ended comes again at once with a flood, and is ended again"""
    flood = scene.principals(connections=16, again=WORK, counting={"ended": EVICTED})
    while not scene.is_finished:
        flood.run(seconds=0.02)
        status, _ = post(scene, f"/evict?principal={ATTACKER}")
        if status != 200:
            scene.blame(f"to end connections was answered {status}")
    flood.close()


DENIED = [(None, 401), ("lw_wrong", 401), (ADMIN_TOKEN[:-1], 401)]


@attack("evict-denied", door=TOKEN, newcomers=True, configuration=KNOWN, reaches=("denied",))
def evict_denied(scene):
    """Who knows no token would end the honest client's connections, without end"""
    scene.begin()
    while not scene.is_finished:
        for token, wanted in DENIED:
            status, _ = post(scene, f"/evict?principal={HONEST}", token)
            scene.counts["denied"] += status == wanted
            if status != wanted:
                scene.blame(f"who knows no token was answered {status}")


# Whether the suite finds what it is for.
@attack("weak-evict", door=TOKEN, configuration=KNOWN, succeeds_by="lost", seconds=1.5)
def weak_evict(scene):
    """The operator ends the honest client's connections"""
    scene.begin()
    scene.wait(0.3)
    post(scene, f"/evict?principal={HONEST}")
    scene.wait()
