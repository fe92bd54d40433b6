"""A token that is taken back while whoever has it is at work."""
import os
import signal
import time

from access import ATTACKER, OTHER, TLS, TOKEN, TOKENS, digest, log_in, read_line
from scene import attack
from wire import connect, many, request

CONNECTIONS, HELD_EACH = 20, 200
HELD = b'{"jsonrpc":"2.0","id":%d,"method":"hold","task":{"key":"k:%d"}}\n'
GONE = b'"id":null,"error":{"code":-32087,'
SECONDS_TO_GO = 5


def rewrite(scene, text):
    """The file as an editor leaves it, all at once, and the signal."""
    new = scene.file.with_suffix(".new")
    new.write_text(text)
    new.replace(scene.file)
    os.kill(scene.process, signal.SIGHUP)


def cancels(client):
    """How many cancels the upstream has heard that the attacker's requests go to."""
    client.sendall(request(1, "counts"))
    heard = read_line(client)
    return int(heard.partition(b'"cancels":')[2].partition(b",")[0].rstrip(b"}\n") or 0)


def last_words(client):
    """What comes until the connection ends; none: it does not."""
    client.settimeout(SECONDS_TO_GO)
    words = b""
    try:
        while data := client.recv(1 << 16):
            words += data
    except TimeoutError:
        return None
    except ConnectionResetError:
        pass
    return words


def works(scene, **who):
    """Connections of the principal whose token goes, each with requests that do not end."""
    clients = [scene.enter(**{"name": OTHER, **who}) for _ in range(CONNECTIONS)]
    for index, client in enumerate(clients):
        client.sendall(many(HELD_EACH, HELD, first=index * HELD_EACH) + request("behind", "lastword.ping"))
        read_line(client)
    return clients


def judge_gone(scene, clients, token=TOKENS[OTHER]):
    for client in clients:
        words = last_words(client)
        if words is None:
            scene.blame("a connection stayed whose token is gone")
        elif GONE not in words:
            scene.blame(f"a connection ended without -32087: {words[:200]!r}")
        else:
            scene.counts["ended"] += 1
        client.close()
    with connect(scene.port) as stranger:
        if scene.door == TOKEN:
            stranger.sendall(log_in(token))
            if b":-32087," not in read_line(stranger):
                scene.blame("a token that is gone lets in still")


def judge_work(scene, observer, before):
    """Upstream has to hear of each request that it need not go on."""
    wanted, end = before + CONNECTIONS * HELD_EACH, time.monotonic() + SECONDS_TO_GO
    while (heard := cancels(observer)) < wanted and time.monotonic() < end:
        scene.stopping.wait(0.05)
    scene.counts["taken back"] += heard - before
    if heard != wanted:
        scene.blame(f"{heard - before} of {CONNECTIONS * HELD_EACH} requests were taken back")


def revoke(scene, take, give, **who):
    """Takes away again and again by what somebody is known, and gives it back."""
    scene.begin()
    observer = scene.enter(ATTACKER)
    while not scene.is_finished:
        clients, before = works(scene, **who), cancels(observer)
        take()
        judge_gone(scene, clients, who.get("token", TOKENS[OTHER]))
        judge_work(scene, observer, before)
        give()
        # A reload is over when the token is known again.
        for _ in range(100):
            try:
                scene.enter(**{"name": OTHER, **who}).close()
                break
            except OSError:
                scene.stopping.wait(0.02)
    observer.close()


def revoke_token(scene):
    with_it = scene.file.read_text()
    without = with_it.replace(digest(TOKENS[OTHER]), digest("somebody else"))
    revoke(scene, lambda: rewrite(scene, without), lambda: rewrite(scene, with_it))


@attack("token-removed", door=TOKEN, newcomers=True, reaches=("ended", "taken back"))
def token_removed(scene):
    """SIGHUP takes away the token of 20 connections with 4,000 requests: they end, and nobody else feels it"""
    revoke_token(scene)


@attack("token-removed-tls", door=TLS, newcomers=True, reaches=("ended", "taken back"))
def token_removed_tls(scene):
    """The same under TLS"""
    revoke_token(scene)


# Whether the suite finds what it is for: here the file says the same as before.
@attack("weak-removal", door=TOKEN, succeeds_by="fault", seconds=1.5)
def weak_removal(scene):
    """SIGHUP with a token that stays where it was"""
    clients = [scene.enter(OTHER) for _ in range(2)]
    rewrite(scene, scene.file.read_text())
    judge_soon_gone(scene, clients)


def judge_soon_gone(scene, clients):
    for client in clients:
        client.settimeout(0.5)
        try:
            client.recv(1)
        except TimeoutError:
            scene.blame("a connection stayed whose token is gone")
        client.close()
