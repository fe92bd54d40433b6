"""What a request costs in a fleet: CPU time of all its members, where a client's own member has its key, and where another has.

The load client draws keys at random, which all its connections share. Nothing is pinned. A real etcd says who has what.
"""
import re
import subprocess
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from counts import BYTES, CONNECTIONS, DEPTH
from loops import KEYS, TIMED_REQUESTS, SharedKeys, unpinned
from programs import Failed, Program, cpu_seconds, run_to_end
from secure import Papers
from systems import STARTING_SECONDS, find, free_port, wait_until_served

ALONE, OWN, ANOTHERS, SECURE = "no fleet", "one's own member has them", "another member has them", "the same, over TLS"
PARTITIONS = 256


@dataclass
class Row:
    keys: str
    microseconds: float


class Members:
    """Gateways of one fleet, of which the last has all keys, and their etcd."""

    def __init__(self, systems, upstream_port, count, is_secure):
        self.binary = systems.binary
        with ExitStack() as stack:
            self.directory = Path(stack.enter_context(TemporaryDirectory()))
            environment = {**self.engine(stack), **(self.papers() if is_secure else self.secret())}
            self.all = [stack.enter_context(self.start(systems, upstream_port, number, environment))
                        for number in range(count)]
            self.wait(lambda had: len(had) == count and all(had))
            for number in range(count - 1):
                run_to_end([self.binary, "fleet", "drain", "--admin", self.admin(number)], None)
            # Who has nothing has left, and serves his clients.
            self.wait(lambda had: had == [PARTITIONS])
            self.stack = stack.pop_all()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stack.close()

    @property
    def port(self):
        return self.all[0].port

    @property
    def pids(self):
        return [member.pid for member in self.all]

    def engine(self, stack):
        client, peer = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        etcd = stack.enter_context(Program(
            [find("etcd"), "--data-dir", self.directory / "etcd", "--listen-client-urls", client,
             "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
             "--initial-cluster", f"default={peer}"], None, **silent))
        wait_until_served(etcd, int(client.rsplit(":", 1)[1]))
        return {"LASTWORD_FLEET_NAME": "bench", "LASTWORD_FLEET_ENGINE": f"etcd:{client}"}

    def secret(self):
        secret = self.directory / "secret"
        secret.write_text("s" * 32)
        return {"LASTWORD_FLEET_SECRET_FILE": str(secret)}

    def papers(self):
        papers = Papers(self.directory)
        return {"LASTWORD_FLEET_TLS_CERTIFICATE": str(papers.certificate), "LASTWORD_FLEET_TLS_KEY": str(papers.key),
                "LASTWORD_FLEET_TLS_CA": str(papers.certificate)}

    def start(self, systems, upstream_port, number, environment):
        own = {"LASTWORD_FLEET_LISTEN": f"127.0.0.1:{free_port()}", "LASTWORD_ADMIN_ADDRESS": self.admin(number)}
        return systems.start("lastword", upstream_port, environment={**environment, **own})

    def admin(self, number):
        return f"unix:{self.directory}/admin{number}"

    def wait(self, is_so):
        end = time.monotonic() + STARTING_SECONDS
        while time.monotonic() < end:
            text = run_to_end([self.binary, "fleet", "status", "--admin", self.admin(len(self.all) - 1)], None)
            if "not ready" not in text and is_so([int(count) for count in re.findall(r"  (\d+) partitions", text)]):
                return
            time.sleep(0.1)
        raise Failed(f"the fleet did not settle: {text}")


def microseconds(pids, port, load):
    before = cpu_seconds(pids)
    load.run(port, CONNECTIONS, DEPTH, TIMED_REQUESTS)
    return (cpu_seconds(pids) - before) / TIMED_REQUESTS * 1e6


def measure(systems, rounds, log):
    with SharedKeys(systems.binary) as load, ExitStack() as stack, unpinned(systems):
        alone = stack.enter_context(systems.start("lastword", load.port))
        fleets = {ALONE: ([alone.pid], alone.port)}
        for name, count, is_secure in [(OWN, 1, False), (ANOTHERS, 2, False), (SECURE, 2, True)]:
            log(f"fleet: {name}")
            members = stack.enter_context(Members(systems, load.port, count, is_secure))
            fleets[name] = (members.pids, members.port)
        timed = {name: [] for name in fleets}
        for number in range(rounds):
            log(f"fleet: round {number + 1} of {rounds}")
            for name, (pids, port) in fleets.items():
                timed[name].append(microseconds(pids, port, load))
    log("")
    return [Row(name, median(times)) for name, times in timed.items()]


def show(rows):
    columns = "{:<28} {:>12} {:>9} {:>9}"
    print(f"\nlastword, {CONNECTIONS}x{DEPTH}, {BYTES} B, {KEYS:,} keys at random: what a request costs, of all members")
    print(columns.format("keys", "CPU time", "no fleet", "own"))
    alone, own = rows[0].microseconds, rows[1].microseconds
    for row in rows:
        print(columns.format(
            row.keys, f"{row.microseconds:.2f} µs", f"{row.microseconds / alone:.2f}", f"{row.microseconds / own:.2f}"))
