"""Handshakes of TLS: none, many, and those that begin again. Whoever comes anew must get in all the while."""
import os
import socket
import ssl
import threading

from access import TLS, context, secured
from hello import hello
from library import TLS_1_2, TLS_1_3, Session
from scene import attack
from wire import HOUR, MIB, reset

DOOR = {"door": TLS, "newcomers": True}
# Three quarters of it are for clients: some 110 of 14 KiB.
IDLE_BYTES, IDLE_CLIENTS = 2 * MIB, 110
# As much as three hundred handshakes count for.
SHOWN = {"held_bytes": 20 * MIB}


@attack("tls-silent", shows=SHOWN, **DOOR)
def tls_silent(scene):
    """1,500 connections to a listener with TLS that never shake hands"""
    clients = [scene.connect() for _ in range(1500)]
    scene.counts["opened"] = len(clients)
    scene.wait()
    for client in clients:
        client.close()


@attack("tls-connects", reaches=("opened",), **DOOR)
def tls_connects(scene):
    """Connections to a listener with TLS are opened and reset as fast as it goes"""
    scene.begin()
    while not scene.is_finished:
        reset(scene.connect())
        scene.counts["opened"] += 1


@attack("tls-handshakes", reaches=("shaken",), **DOOR)
def tls_handshakes(scene):
    """Whole handshakes, each closed at once, by TLS 1.2 and 1.3 in turn"""
    terms = [context(version=version) for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3)]
    scene.begin()
    while not scene.is_finished:
        client = secured(scene.connect(), terms[scene.counts["shaken"] % 2])
        (reset if scene.counts["shaken"] % 3 else socket.socket.close)(client)
        scene.counts["shaken"] += 1


@attack("tls-hellos", reaches=("closed",), **DOOR)
def tls_hellos(scene):
    """64 connections say hello, have the gateway sign, and are reset"""
    first = hello("localhost")
    scene.begin()
    clients = []
    while not scene.is_finished:
        if len(clients) == 64:
            reset(clients.pop(0))
            scene.counts["closed"] += 1
        clients.append(scene.connect())
        clients[-1].sendall(first)


@attack("tls-hellos-held", most_bytes=48 * MIB, latest_ms=20, shows=SHOWN, **DOOR)
def tls_hellos_held(scene):
    """1,500 connections say hello, have the gateway sign, and say no more"""
    scene.crowd(connections=1500, first=hello("localhost")).run().close()


def half_hellos(scene, connections):
    whole = hello("localhost")
    scene.crowd(connections=connections, first=whole[:len(whole) // 2]).run().close()


@attack("tls-half-hellos", most_bytes=48 * MIB, shows=SHOWN, **DOOR)
def tls_half_hellos(scene):
    """1,500 connections that send half of a hello, and no more"""
    half_hellos(scene, 1500)


@attack("tls-idle", door=TLS, reaches=("beyond",), most_bytes=IDLE_BYTES, seconds=4,
        configuration={"bounds": {"memoryBytes": IDLE_BYTES, "messageBytes": IDLE_BYTES // 4}})
def tls_idle(scene):
    """Connections shake hands and idle, as many as it goes, where memory is for a hundred of them"""
    terms, clients = context(), []
    scene.begin()
    while not scene.is_finished:
        try:
            clients.append(secured(scene.connect(), terms))
            scene.counts["beyond"] += len(clients) > IDLE_CLIENTS
        except OSError:
            scene.counts["closed"] += 1
    for client in clients:
        client.close()


def drain(client):
    """Takes whatever comes, so that the other side can go on."""
    try:
        while client.recv(1 << 16):
            pass
    except OSError:
        pass


@attack("tls-renegotiated", reaches=("asked",), **DOOR)
def tls_renegotiated(scene):
    """Connections by TLS 1.2 that want to shake hands again"""
    scene.begin()
    while not scene.is_finished:
        with Session(scene.connect(), TLS_1_2) as session:
            if session.connect():
                scene.counts["asked"] += 1
                if session.renegotiate():
                    scene.blame("the gateway went along with a renegotiation")


def update_keys(scene, reads):
    scene.begin()
    while not scene.is_finished:
        client = scene.connect()
        with Session(client, TLS_1_3) as session:
            if not session.connect():
                continue
            if reads:
                other = socket.socket(fileno=os.dup(client.fileno()))
                threading.Thread(target=drain, args=(other,), daemon=True).start()
            while not scene.is_finished and session.update_key():
                scene.counts["updates"] += 1
            try:
                client.shutdown(socket.SHUT_RDWR)
            except OSError:
                scene.counts["closed"] += 1


@attack("tls-key-updates", reaches=("updates",), **DOOR)
def tls_key_updates(scene):
    """One connection changes its key as fast as it goes, and asks the gateway to do the same"""
    update_keys(scene, reads=True)


@attack("tls-key-updates-unread", reaches=("updates",), **DOOR)
def tls_key_updates_unread(scene):
    """The same, and it does not read what the gateway answers"""
    update_keys(scene, reads=False)


# Whether the suite finds what it is for: here as many may shake hands as want to, for an hour.
@attack("weak-handshakes", door=TLS, most_bytes=48 * MIB, succeeds_by="memory", seconds=1.5, configuration={
    "bounds": {"handshakes": 100_000, "handshakeMs": HOUR}})
def weak_handshakes(scene):
    """2,400 connections that send half of a hello, where that is no bound"""
    half_hellos(scene, 2400)
