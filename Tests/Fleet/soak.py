#!/usr/bin/env python3
"""A fleet under faults: three etcds, three members, one upstream, and a load through all members that checks every reply.

    python3 soak.py BINARY SECONDS SEED

Faults follow each other, drawn by the seed, each once before any comes again. What upstream tells of arrivals the load
holds against results: none may be out of date, whichever member gave it, and whatever had happened to it before. Fails
where one is, where a reply is lost or comes twice, or where the fleet does not settle. First the same load goes to gateways
that know nothing of each other: there stale results must be found.
"""
import atexit
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

MEMBERS, ENGINES = 3, 3
PATIENCE_SECONDS = 60
CALM_SECONDS = 1
# Above any answer's time: what a member leaves behind is done by then.
TAKEOVER_MILLISECONDS = 1_000
LOAD = ["--connections", "24", "--rate", "1200", "--keys", "48", "--shared-keys", "--workload", "zipf:0.8", "--policies",
        "cancel=6,cancelAndWait=1,wait=1,concurrent=1,preferPrevious=1,keepLatest=1,onAnswer=1", "--cancels", "0.03",
        "--patience-ms", str(1_000 * PATIENCE_SECONDS)]
# Each of these must have happened, or nothing was tested.
HAPPENED = ["results", "superseded", "cancelled"]
PROBED_KEYS = 64
CONTROL_SECONDS = 3

signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


class Failed(Exception):
    """The fleet does not do what it must."""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def eventually(what, is_so):
    end = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        if time.monotonic() > end:
            raise Failed(f"not within {PATIENCE_SECONDS} s: {what}")
        time.sleep(0.05)


class Server:
    """A process that is started again as it was."""

    def __init__(self, words, log, environment=None):
        self.words, self.log, self.environment = [*map(str, words)], log, environment
        self.start()
        atexit.register(self.end)

    def start(self):
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                self.words, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, **(self.environment or {})})

    def signal(self, number):
        self.process.send_signal(number)

    def end(self):
        for number in (signal.SIGCONT, signal.SIGKILL):
            if self.process.poll() is None:
                self.process.send_signal(number)
        self.process.wait()

    def is_listening(self, port):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return True
        except OSError:
            if self.process.poll() is not None:
                raise Failed(f"{self.words[0]} ended: {Path(self.log).read_text()[-500:]}") from None
            return False


class Gateways:
    """As many as a fleet has, each by itself, before one upstream."""

    def __init__(self, binary, directory):
        self.binary, self.directory = binary, directory
        self.start_upstream()
        self.ports = [free_port() for _ in range(MEMBERS)]
        self.members = [self.member(number) for number in range(MEMBERS)]
        for member, port in zip(self.members, self.ports):
            eventually("a gateway listens", lambda member=member, port=port: member.is_listening(port))

    def start_upstream(self):
        port = free_port()
        self.upstream_address = f"127.0.0.1:{port}"
        self.upstream = Server(
            [self.binary, "load", "upstream", "--behaviour", "jitter:1..30", "--listen", self.upstream_address],
            self.directory / "upstream.log")
        eventually("upstream listens", lambda: self.upstream.is_listening(port))

    def member(self, number):
        return Server(
            [self.binary, "serve", "--listen", f"127.0.0.1:{self.ports[number]}", "--admin", self.admin(number),
             "--upstream", f"tcp:{self.upstream_address}"],
            self.directory / f"member{number}.log", self.environment)

    @property
    def environment(self):
        return {}

    def admin(self, number):
        return f"unix:{self.directory}/admin{number}"

    def end(self):
        for server in [*self.members, self.upstream]:
            server.end()


class Fleet(Gateways):
    """The same as members of one fleet, and their engine."""

    def __init__(self, binary, directory):
        self.directory = directory
        (directory / "secret").write_text("s" * 32)
        self.start_engines()
        super().__init__(binary, directory)
        self.await_settled()

    def start_engines(self):
        self.clients, peers = ([free_port() for _ in range(ENGINES)] for _ in range(2))
        cluster = ",".join(f"e{number}=http://127.0.0.1:{port}" for number, port in enumerate(peers))
        self.engines = []
        for number, (client, peer) in enumerate(zip(self.clients, peers)):
            urls = {"client": f"http://127.0.0.1:{client}", "peer": f"http://127.0.0.1:{peer}"}
            self.engines.append(Server(
                ["etcd", "--name", f"e{number}", "--data-dir", self.directory / f"etcd{number}",
                 "--listen-client-urls", urls["client"], "--advertise-client-urls", urls["client"],
                 "--listen-peer-urls", urls["peer"], "--initial-advertise-peer-urls", urls["peer"],
                 "--initial-cluster", cluster], self.directory / f"etcd{number}.log"))
        for engine, port in zip(self.engines, self.clients):
            eventually("etcd listens", lambda engine=engine, port=port: engine.is_listening(port))

    @property
    def environment(self):
        engine = ",".join(f"etcd:http://127.0.0.1:{port}" for port in self.clients)
        return {"LASTWORD_FLEET_NAME": "soak", "LASTWORD_FLEET_ENGINE": engine,
                "LASTWORD_FLEET_LISTEN": f"127.0.0.1:{free_port()}",
                "LASTWORD_FLEET_SECRET_FILE": str(self.directory / "secret"),
                "LASTWORD_FLEET_TAKEOVER_MS": str(TAKEOVER_MILLISECONDS)}

    def end(self):
        super().end()
        for engine in self.engines:
            engine.end()

    # What can be seen

    def status(self, number):
        told = subprocess.run(
            [self.binary, "fleet", "status", "--admin", self.admin(number)], capture_output=True, text=True, check=False)
        return told.stdout if told.returncode == 0 else ""

    def is_settled(self, number, count=MEMBERS):
        text = self.status(number)
        had = [int(parts) for parts in re.findall(r"  (\d+) partitions", text)]
        return len(had) == count and all(had) and sum(had) == 256 and "not ready" not in text

    def await_settled(self):
        for number in range(MEMBERS):
            eventually(f"member {number} knows of all", lambda number=number: self.is_settled(number))

    def dead_count(self, number):
        found = re.search(r"declared dead (\d+) times", self.status(number))
        return int(found[1]) if found else 0

    def heal_seconds(self, number):
        """How long a client of a member waits until keys all over the fleet have been served."""
        begun = time.monotonic()
        with socket.create_connection(("127.0.0.1", self.ports[number]), PATIENCE_SECONDS) as client:
            client.settimeout(PATIENCE_SECONDS)
            lines = client.makefile("rw")
            waiting = set(range(1, PROBED_KEYS + 1))
            while waiting:
                for key in waiting:
                    lines.write(json.dumps({
                        "jsonrpc": "2.0", "id": key, "method": "echo", "params": {"n": key},
                        "task": {"key": f"probe-{key}", "policy": "cancel", "timeoutMs": 20_000}}) + "\n")
                lines.flush()
                replies = [json.loads(lines.readline()) for _ in waiting]
                # What was on its way to the member that is gone may be asked again.
                waiting -= {reply["id"] for reply in replies if "result" in reply}
        return time.monotonic() - begun

    # What goes wrong

    def kill(self, number):
        """A member is killed, and comes again."""
        self.members[number].signal(signal.SIGKILL)
        self.members[number].process.wait()
        healed = self.heal_seconds((number + 1) % MEMBERS)
        self.members[number].start()
        return healed

    def stop(self, number):
        """A member is told to stop, and comes again."""
        self.members[number].signal(signal.SIGTERM)
        status = self.members[number].process.wait(PATIENCE_SECONDS)
        if status != 0:
            raise Failed(f"a member that was told to stop ended with {status}")
        healed = self.heal_seconds((number + 1) % MEMBERS)
        self.members[number].start()
        return healed

    def hold(self, number, seconds):
        self.members[number].signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.members[number].signal(signal.SIGCONT)
        return self.heal_seconds(number)

    def pause(self, number):
        """A member stands still for less than others wait."""
        return self.hold(number, 2)

    def die(self, number):
        """A member stands still until it is declared dead, and goes on."""
        return self.hold(number, 7)

    def kill_leader(self, number):
        """The leader of the engine is killed, and comes again."""
        leader = next((place for place in range(ENGINES) if self.leads(place)), number)
        self.engines[leader].signal(signal.SIGKILL)
        self.engines[leader].process.wait()
        healed = self.heal_seconds(number)
        self.engines[leader].start()
        eventually("etcd is back", lambda: self.engines[leader].is_listening(self.clients[leader]))
        return healed

    def leads(self, number):
        """Whether an etcd says of itself that it leads."""
        place = f"http://127.0.0.1:{self.clients[number]}/v3/maintenance/status"
        with urllib.request.urlopen(place, b"{}", PATIENCE_SECONDS) as answer:
            told = json.load(answer)
        return told["leader"] == told["header"]["member_id"]

    def take_engine_away(self, number):
        """All of the engine stands still for ten seconds."""
        for engine in self.engines:
            engine.signal(signal.SIGSTOP)
        time.sleep(10)
        for engine in self.engines:
            engine.signal(signal.SIGCONT)
        return self.heal_seconds(number)


FAULTS = [Fleet.kill, Fleet.stop, Fleet.pause, Fleet.die, Fleet.kill_leader, Fleet.take_engine_away]


class Load:
    """The load client, which ends by itself."""

    def __init__(self, fleet, seconds, seed, errors=None):
        places = [f"127.0.0.1:{port}" for port in fleet.ports]
        words = ["--to", places[0], *(word for place in places[1:] for word in ("--member", place))]
        self.process = subprocess.Popen(
            [fleet.binary, "load", *words, "--upstream-at", fleet.upstream_address, "--seconds", str(seconds), "--seed",
             str(seed), "--quiet", "--json", "-", *LOAD], text=True, stdout=subprocess.PIPE, stderr=errors)
        atexit.register(self.process.kill)
        self.answer = ""
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        self.answer = self.process.stdout.read()

    def run(self, seconds):
        self.reader.join(seconds + 2 * PATIENCE_SECONDS)
        if self.process.poll() is None:
            self.process.wait(PATIENCE_SECONDS)
        try:
            return json.loads(self.answer)
        except ValueError:
            raise Failed(f"the load left no report, and ended with {self.process.returncode}") from None


def control(binary, directory, seed):
    """Gives what is wrong with the check itself: nothing."""
    gateways = Gateways(binary, directory)
    stale = Load(gateways, CONTROL_SECONDS, seed, subprocess.DEVNULL).run(CONTROL_SECONDS)["stale"]
    gateways.end()
    print(f"{stale} stale results of gateways that know nothing of each other\n")
    return [] if stale else ["gateways that know nothing of each other gave nothing stale: nothing is shown"]


def judge(run, status):
    errors = "".join(f", {error['count']} error {error['code']}" for error in run["errors"])
    print(f"{run['sent']} requests: " + ", ".join(f"{run[name]} {name}" for name in [*HAPPENED, "abandoned"]) + errors)
    print(f"detail: {run['violationCount']} violations, {run['stale']} of them stale results")
    for violation in run["violations"]:
        yield "\n  ".join([f"violation: {violation['description']}", *violation["trace"]])
    if status != 0:
        yield f"lastword load ended with {status}: {run.get('failure')}"
    yield from (f"nothing was {name}: nothing is shown" for name in HAPPENED if run[name] == 0)


def main(binary, seconds, seed):
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as other, tempfile.TemporaryDirectory() as directory:
        complaints = control(binary, Path(other), seed)
        fleet = Fleet(binary, Path(directory))
        load = Load(fleet, seconds, seed)
        end, faults = time.monotonic() + seconds, []
        # It needs its connections first.
        time.sleep(CALM_SECONDS)
        print(f"{'served after':>13}  fault")
        while time.monotonic() < end:
            if load.process.poll() is not None:
                break
            if not faults:
                faults = draw.sample(FAULTS, len(FAULTS))
            fault, number = faults.pop(), draw.randrange(MEMBERS)
            healed = fault(fleet, number)
            print(f"{healed:11.1f} s  {fault.__doc__}", flush=True)
            fleet.await_settled()
            time.sleep(CALM_SECONDS)
        complaints += judge(load.run(seconds), load.process.returncode)
        fleet.end()
    for complaint in complaints:
        print(f"error: {complaint}")
    return 1 if complaints else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3])))
    except Failed as failure:
        sys.exit(f"error: {failure}")
