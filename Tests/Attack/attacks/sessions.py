"""Sessions of the Model Context Protocol: begun and left, guessed, and with streams that are opened without end."""
import re
import secrets

from attacks.connections import WATCHED
from attacks.heads import states
from attacks.posts import post
from scene import attack
from wire import request

SPOKEN = {"listen": {"mcpPath": "/mcp"}, "bounds": {"mcpIdleMs": 300, "connections": 1000}}
BEGINNING = request(0, "initialize", {"protocolVersion": "2025-11-25"}).rstrip()
BOTH = b"Accept: application/json, text/event-stream\r\n"


def ask(content, session=None):
    name = b"Mcp-Session-Id: %b\r\n" % session if session else b""
    return post(content, BOTH + name).replace(b"POST /", b"POST /mcp", 1)


@attack("mcp-sessions-left", checks=WATCHED, newcomers=True, reaches=("begun",),
        configuration=SPOKEN | {"bounds": {"mcpIdleMs": 3_600_000, "connections": 300}})
def mcp_sessions_left(scene):
    """8 connections begin sessions as fast as it goes, for each of which there is a place, and leave them"""
    crowd = scene.crowd(connections=8, again=ask(BEGINNING) * 100, counting={"begun": b"Mcp-Session-Id"})
    crowd.run().close()


@attack("mcp-sessions-guessed", checks=WATCHED, configuration=SPOKEN, reaches=("none",))
def mcp_sessions_guessed(scene):
    """Names of sessions are guessed: there is none of any of them"""
    scene.begin()
    while not scene.is_finished:
        with scene.connect() as client:
            client.sendall(ask(request(1, "echo").rstrip(), secrets.token_hex(16).encode()))
            statuses = states(client.recv(1 << 16))
        scene.counts["none"] += statuses == [404]
        if statuses != [404]:
            scene.blame(f"a name that was guessed was answered {statuses}")


@attack("mcp-streams", checks=WATCHED, configuration=SPOKEN, reaches=("opened",))
def mcp_streams(scene):
    """The stream of one session is opened as fast as it goes, each time in the place of the one before"""
    with scene.connect() as client:
        client.sendall(ask(BEGINNING))
        session = re.search(rb"Mcp-Session-Id: (\w+)", client.recv(1 << 16))[1]
    opening = b"GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nMcp-Session-Id: %b\r\n\r\n" % session
    scene.crowd(connections=8, again=opening * 100, counting={"opened": b"text/event-stream"}).run().close()
