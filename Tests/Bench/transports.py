"""WebSockets and POSTs: lastword beside what else would stand there, close together in pairs."""
import base64
import hashlib
import json
import os
import re
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from programs import LOAD_CORE, PATIENCE_SECONDS, PROXY_CORE, Failed, Program, Upstream, cpu_seconds, \
    most_connections, run_to_end, start_and_read_port
from systems import HERE, System, find, free_port, wait_until_served
from counts import CALLGRIND, COLLECTED, UNHURRIED, stripped

CLIENTS, DEPTH = 64, 16
# So many that hardly a request is superseded: each is answered by upstream, through either gateway.
KEYS = 4_000
IDLE_WEBSOCKETS = 10_000
IDLE_SECONDS = 0.5
# Where Debian and npm have it.
WS_PLACES = ["/usr/share/nodejs/ws/wrapper.mjs", "/usr/local/lib/node_modules/ws/wrapper.mjs"]
RUNS = {"ws": (20_000, 60_000), "http": (10_000, 30_000), "sse": (10_000, 30_000), "post": (2_560, 12_800)}
TITLES = {"ws": "WebSocket", "http": "POSTs of sessions", "sse": "event streams of sessions", "post": "POSTs of none"}


@dataclass
class Sample:
    rate: float
    # CPU time of what is measured for a request, in microseconds; and how much of its core it used.
    cpu: float
    busy: float


@dataclass
class Found:
    """Samples by what was measured; bytes and instructions by themselves."""
    samples: dict
    idle_bytes: float | None = None
    instructions: dict | None = None

    def ratio(self, one, other, field="rate"):
        pairs = zip(self.samples[one], self.samples[other])
        return median(getattr(first, field) / getattr(second, field) for first, second in pairs)


def load_words(binary, port, transport, depth, more):
    return [binary, "load", "--to", f"127.0.0.1:{port}", "--transport", transport, "--connections", CLIENTS,
            "--depth", depth, "--keys", KEYS, "--padding", 0, "--patience-ms", 60_000, "--quiet", "--json", "-", *more]


def websocket_sample(systems, port, pids, seconds):
    """By lastword load, which checks every reply of either."""
    before = cpu_seconds(pids)
    told = json.loads(
        run_to_end(load_words(systems.binary, port, "ws", DEPTH, ["--seconds", seconds]), LOAD_CORE))
    used = cpu_seconds(pids) - before
    replies = told["results"] + told["superseded"] + sum(one["count"] for one in told["errors"])
    if told["errors"]:
        raise Failed(f"errors: {told['errors']}")
    elapsed = told["elapsedNanoseconds"] / 1e9
    return Sample(replies / elapsed, used / replies * 1e6, used / elapsed)


def post_sample(url, pids, seconds):
    """By wrk, which looks at the status only."""
    before = cpu_seconds(pids)
    time_words = [f"-c{CLIENTS}", f"-d{max(1, round(seconds))}s"]
    text = run_to_end([find("wrk"), "-t1", *time_words, "-s", HERE / "HTTP" / "post.lua", url], LOAD_CORE)
    used = cpu_seconds(pids) - before
    found = re.search(r"(\d+) requests in ([\d.]+)s", text)
    if not found or "Non-2xx" in text or "Socket errors" in text:
        raise Failed(f"wrk, {url}: {text}")
    requests, elapsed = int(found[1]), float(found[2])
    return Sample(requests / elapsed, used / requests * 1e6, used / elapsed)


def node(upstream_port):
    place = next((place for place in WS_PLACES if Path(place).exists()), None)
    if place is None:
        raise Failed("there is no package ws for Node.js: scripts/prepare bench installs it")
    return start_and_read_port([find("node"), HERE / "HTTP" / "gateway-ws.mjs", place, upstream_port], PROXY_CORE)


def nginx(directory, upstream_port):
    port, own = free_port(), directory / f"nginx-http-{time.monotonic_ns()}"
    own.mkdir()
    words = {"UPSTREAM_PORT": upstream_port, "LISTEN_PORT": port, "DIRECTORY": own,
             "MOST_DESCRIPTORS": 2 * most_connections()}
    text = (HERE / "HTTP" / "nginx-http.conf").read_text()
    for name, value in words.items():
        text = text.replace(name, str(value))
    (own / "nginx.conf").write_text(text)
    program = Program([find("nginx"), "-e", "stderr", "-c", own / "nginx.conf"], PROXY_CORE, stderr=subprocess.DEVNULL)
    wait_until_served(program, port)
    return program, port


def measure(systems, rounds, seconds, log):
    found = Found({name: [] for name in ["lastword ws", "nginx and ws", "lastword post", "nginx post"]})
    with ExitStack() as stack:
        upstream = stack.enter_context(Upstream(systems.directory))
        gateway = stack.enter_context(systems.start("lastword", upstream.port))
        server, server_port = node(upstream.port)
        stack.enter_context(server)
        proxy, proxy_port = nginx(systems.directory, server_port)
        stack.enter_context(proxy)
        measures = [
            ("lastword ws", lambda: websocket_sample(systems, gateway.port, [gateway.pid], seconds)),
            ("nginx and ws", lambda: websocket_sample(systems, proxy_port, [proxy.pid, server.pid], seconds)),
            ("lastword post", lambda: post_sample(f"http://127.0.0.1:{gateway.port}/", [gateway.pid], seconds)),
            ("nginx post", lambda: post_sample(f"http://127.0.0.1:{proxy_port}/answered", [proxy.pid], seconds))]
        # Just-in-time compilers need a while, and are given it.
        for name, take in measures:
            log(f"warming up: {name}")
            take()
        for number in range(rounds):
            for pair in (measures[:2], measures[2:]):
                for name, take in pair if number % 2 else reversed(pair):
                    log(f"round {number + 1} of {rounds}: {name}")
                    found.samples[name].append(take())
        log("idle WebSockets")
        found.idle_bytes = idle_bytes(systems, upstream)
        found.instructions = {}
        for transport in RUNS:
            log(f"instructions: {transport}")
            found.instructions[transport] = instructions(systems, upstream, transport)
    log("")
    return found


# MARK: Memory

def open_websocket(port):
    peer = socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS)
    key = base64.b64encode(os.urandom(16)).decode()
    peer.sendall((f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                  f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
    text = b'{"jsonrpc":"2.0","id":1,"method":"echo","params":{"q":"once"}}'
    mask = os.urandom(4)
    peer.sendall(bytes([0x81, 0x80 | len(text)]) + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(text)))
    answer = b""
    while b"once" not in answer:
        more = peer.recv(4096)
        if not more:
            raise Failed(f"a WebSocket was closed: {answer}")
        answer += more
    accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
    if accept not in answer:
        raise Failed(f"no WebSocket: {answer}")
    return peer


def idle_bytes(systems, upstream):
    """Each was served once before it idles."""
    count = min(IDLE_WEBSOCKETS, most_connections() - 200)
    with systems.start("lastword", upstream.port) as system, ExitStack() as stack:
        for _ in range(64):
            open_websocket(system.port).close()
        time.sleep(IDLE_SECONDS)
        before = system.program.memory_bytes()
        for _ in range(count):
            stack.enter_context(open_websocket(system.port))
        time.sleep(IDLE_SECONDS)
        return (system.program.memory_bytes() - before) / count


# MARK: Instructions

def instructions(systems, upstream, transport):
    """Of the gateway in user mode, from runs of two lengths."""
    counts = [instructions_of(systems, upstream, transport, requests) for requests in RUNS[transport]]
    return (counts[1] - counts[0]) / (RUNS[transport][1] - RUNS[transport][0])


def instructions_of(systems, upstream, transport, requests):
    path = systems.directory / "errors"
    depth = DEPTH if transport == "ws" else 1
    with open(path, "w") as errors, stripped(systems):
        with systems.start("lastword", upstream.port, CALLGRIND, UNHURRIED, errors) as system:
            if transport == "post":
                post(system.port, requests)
            else:
                words = ["--requests", requests, "--seconds", 3_600]
                run_to_end(load_words(systems.binary, system.port, transport, depth, words), LOAD_CORE)
    log = getattr(system.program, "log", None)
    text = path.read_text() + (log.read_text() if log else "")
    return int(re.search(COLLECTED, text)[1])


def post(port, requests):
    """So many POSTs as wrk sends them: over connections that are kept, and of no session."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "echo", "params": {"query": "a" * 88}})
    text = (f"POST / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}").encode()
    with ExitStack() as stack:
        peers = [stack.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS))
                 for _ in range(CLIENTS)]
        for _ in range(requests // CLIENTS):
            for peer in peers:
                peer.sendall(text)
            for peer in peers:
                answer = b""
                while not answer.endswith(b"}\n"):
                    more = peer.recv(4096)
                    if not more:
                        raise Failed(f"a POST was cut off: {answer}")
                    answer += more
                if not answer.startswith(b"HTTP/1.1 200 ") or b'"result"' not in answer:
                    raise Failed(f"no result: {answer}")


# MARK: Showing

def show(found):
    print(f"\nWebSockets: {CLIENTS} x {DEPTH}, by lastword load. POSTs: {CLIENTS} connections that are kept, by wrk.")
    print("nginx and ws: nginx before a Node.js gateway, on one core together. nginx post: return 200.")
    print(f"{'':<15} {'req/s':>10} {'CPU':>10} {'busy':>6}")
    for name, samples in found.samples.items():
        rate, cpu, busy = (median(getattr(one, field) for one in samples) for field in ("rate", "cpu", "busy"))
        print(f"{name:<15} {rate:>10,.0f} {cpu:>7.2f} µs {busy:>6.0%}")
    for transport, count in (found.instructions or {}).items():
        print(f"user instructions per request, {TITLES[transport]}: {count:,.0f}")
    sys.stdout.flush()
