"""A fleet: three etcds, three members and an upstream, each on a machine of its own, and what goes wrong with them."""
import json
import re
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

from machines import PATIENCE_SECONDS, Failed, Machine, Server, eventually, run

MEMBERS, ENGINES = 3, 3
# Above any answer's time: what a member leaves behind is done by then.
TAKEOVER_MILLISECONDS = 1_000
PROBED_KEYS = 64
EXAMPLE = Path(__file__).parents[2] / "examples" / "fleet"
# After so long without its engine a member is declared dead.
DEATH_SECONDS = 7


class Gateways:
    """As many as a fleet has, each by itself, before one upstream."""

    def __init__(self, binary, directory, machine):
        """`machine` makes one."""
        self.binary, self.directory = binary, directory
        self.start_upstream(machine())
        self.machines = [machine() for _ in range(MEMBERS)]
        self.ports = [machine.port() for machine in self.machines]
        self.members = [self.member(number) for number in range(MEMBERS)]
        for member, port in zip(self.members, self.ports):
            eventually("a gateway listens", lambda member=member, port=port: member.is_listening(port))

    def start_upstream(self, machine):
        port = machine.port()
        self.upstream_machine, self.upstream_address = machine, f"{machine.address}:{port}"
        self.upstream = Server(
            machine,
            [self.binary, "load", "upstream", "--behaviour", "jitter:1..30", "--listen", self.upstream_address,
             "--audience", "network"],
            self.directory / "upstream.log")
        eventually("upstream listens", lambda: self.upstream.is_listening(port))

    def member(self, number):
        return Server(
            self.machines[number],
            [self.binary, "serve", "--listen", self.address(number), "--audience", "network",
             "--admin", self.admin(number), *self.upstream_words()],
            self.directory / f"member{number}.log", self.environment(number))

    def upstream_words(self):
        """How a gateway is told of its upstream."""
        return ["--upstream", f"tcp:{self.upstream_address}"]

    def environment(self, _number):
        return {}

    def address(self, number):
        return f"{self.machines[number].address}:{self.ports[number]}"

    def admin(self, number):
        return f"unix:{self.directory}/admin{number}"

    @property
    def servers(self):
        return [*self.members, self.upstream]

    def end(self):
        for server in self.servers:
            server.end()


class Fleet(Gateways):
    """The same as members of one fleet, and their engine."""

    def __init__(self, binary, directory, machine):
        self.directory = directory
        run(EXAMPLE / "secrets.sh", directory / "secrets")
        self.start_engines(machine)
        super().__init__(binary, directory, machine)
        self.await_settled()

    def upstream_words(self):
        """It refuses what members say late: only a file says that it wants fences."""
        path = self.directory / "fleet.toml"
        path.write_text(f'[[upstream]]\nname = "shared"\naddress = "tcp:{self.upstream_address}"\npassFence = true\n')
        return ["--config", path]

    def start_engines(self, machine):
        self.engine_machines = [machine() for _ in range(ENGINES)]
        self.clients, peers = (
            [f"http://{machine.address}:{machine.port()}" for machine in self.engine_machines] for _ in range(2))
        cluster = ",".join(f"e{number}={peer}" for number, peer in enumerate(peers))
        self.engines = [
            Server(
                self.engine_machines[number],
                ["etcd", "--name", f"e{number}", "--data-dir", self.directory / f"etcd{number}",
                 "--listen-client-urls", self.clients[number], "--advertise-client-urls", self.clients[number],
                 "--listen-peer-urls", peers[number], "--initial-advertise-peer-urls", peers[number],
                 "--initial-cluster", cluster], self.directory / f"etcd{number}.log")
            for number in range(ENGINES)]
        for number in range(ENGINES):
            self.await_engine(number)

    def await_engine(self, number):
        port = int(self.clients[number].rpartition(":")[2])
        eventually("etcd listens", lambda: self.engines[number].is_listening(port))

    def environment(self, number):
        machine, secrets = self.machines[number], self.directory / "secrets"
        return {"LASTWORD_FLEET_NAME": "soak",
                "LASTWORD_FLEET_ENGINE": ",".join(f"etcd:{client}" for client in self.clients),
                "LASTWORD_FLEET_LISTEN": f"{machine.address}:{machine.port()}",
                "LASTWORD_FLEET_SECRET_FILE": f"{secrets}/fleet.secret",
                "LASTWORD_FLEET_TLS_CERTIFICATE": f"{secrets}/member.pem",
                "LASTWORD_FLEET_TLS_KEY": f"{secrets}/member.key",
                "LASTWORD_FLEET_TLS_CA": f"{secrets}/ca.pem",
                "LASTWORD_FLEET_TLS_SERVER_NAME": "gateway1",
                "LASTWORD_FLEET_TAKEOVER_MS": str(TAKEOVER_MILLISECONDS)}

    @property
    def servers(self):
        return [*super().servers, *self.engines]

    # What can be seen

    def status(self, number):
        told = subprocess.run(
            [self.binary, "fleet", "status", "--admin", self.admin(number)], capture_output=True, text=True, check=False)
        return told.stdout if told.returncode == 0 else ""

    def is_settled(self, number):
        text = self.status(number)
        had = [int(parts) for parts in re.findall(r"  (\d+) partitions", text)]
        return len(had) == MEMBERS and all(had) and sum(had) == 256 and "not ready" not in text

    def await_settled(self):
        for number in range(MEMBERS):
            eventually(f"member {number} knows of all", lambda number=number: self.is_settled(number))

    def heal_seconds(self, number):
        """How long a client of a member waits until keys all over the fleet have been served."""
        begun = time.monotonic()
        place = (self.machines[number].address, self.ports[number])
        with socket.create_connection(place, PATIENCE_SECONDS) as client:
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

    # What goes wrong. Each gives how long it took until all keys were served again, and leaves all as it was.

    def kill(self, number):
        """A member is killed, and comes again."""
        self.members[number].signal(signal.SIGKILL)
        self.members[number].process.wait()
        healed = self.heal_seconds(another(number))
        self.members[number].start()
        return healed

    def stop(self, number):
        """A member is told to stop, and comes again."""
        self.members[number].signal(signal.SIGTERM)
        status = self.members[number].process.wait(PATIENCE_SECONDS)
        if status != 0:
            raise Failed(f"a member that was told to stop ended with {status}")
        healed = self.heal_seconds(another(number))
        self.members[number].start()
        return healed

    def hold(self, number, seconds):
        self.members[number].signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.members[number].signal(signal.SIGCONT)
        return self.heal_seconds(number)

    def restart_all(self, number):
        """All members are restarted, one after the other."""
        return max(self.restart(place % MEMBERS) for place in range(number, number + MEMBERS))

    def restart(self, number):
        healed = self.stop(number)
        self.await_settled()
        return healed

    def pause(self, number):
        """A member stands still for less than others wait."""
        return self.hold(number, 2)

    def die(self, number):
        """A member stands still until it is declared dead, and goes on."""
        return self.hold(number, DEATH_SECONDS)

    def kill_leader(self, number):
        """The leader of the engine is killed, and comes again."""
        leader = self.leader()
        self.engines[leader].signal(signal.SIGKILL)
        self.engines[leader].process.wait()
        healed = self.heal_seconds(number)
        self.engines[leader].start()
        self.await_engine(leader)
        return healed

    def leader(self):
        found = []
        eventually("etcd has a leader", lambda: found.extend(filter(self.leads, range(ENGINES))) or found)
        return found[0]

    def leads(self, number):
        """Whether an etcd says of itself that it leads; it names none while there is none."""
        place = f"{self.clients[number]}/v3/maintenance/status"
        with urllib.request.urlopen(place, b"{}", PATIENCE_SECONDS) as answer:
            told = json.load(answer)
        return told.get("leader") == told["header"]["member_id"]

    def take_engine_away(self, number):
        """All of the engine stands still for ten seconds."""
        for engine in self.engines:
            engine.signal(signal.SIGSTOP)
        time.sleep(10)
        for engine in self.engines:
            engine.signal(signal.SIGCONT)
        return self.heal_seconds(number)

    # What is lost between machines

    def cut_from_engine(self, number):
        """A member is cut off from all of the engine until it is declared dead."""
        return self.while_cut(number, self.engine_machines)

    def cut_off(self, number):
        """A member is cut off from all others until it is declared dead."""
        others = [machine for machine in self.machines if machine is not self.machines[number]]
        return self.while_cut(number, [*self.engine_machines, *others, self.upstream_machine])

    def while_cut(self, number, others):
        """The others serve all keys before it is back; gives how long they did not."""
        machine, begun, longest = self.machines[number], time.monotonic(), 0
        machine.cut_from(*others)
        while time.monotonic() < begun + DEATH_SECONDS:
            longest = max(longest, self.heal_seconds(another(number)))
            # It has its keys for some seconds more.
            time.sleep(0.2)
        machine.join(*others)
        return longest

    def cut_members(self, number):
        """Two members are cut off from each other for longer than they wait for each other."""
        return self.after_cut(number, 6, self.machines[number], self.machines[another(number)])

    def cut_from_upstream(self, number):
        """A member is cut off from the upstream for a while."""
        return self.after_cut(number, 3, self.machines[number], self.upstream_machine)

    def cut_leader(self, number):
        """The leader of the engine is cut off from the other two, and from a member."""
        leader = self.engine_machines[self.leader()]
        followers = [machine for machine in self.engine_machines if machine is not leader]
        return self.after_cut(number, DEATH_SECONDS, leader, *followers, self.machines[number])

    def after_cut(self, number, seconds, machine, *others):
        """How long a member's clients wait when a machine is back that was cut off from others for so long."""
        machine.cut_from(*others)
        time.sleep(seconds)
        machine.join(*others)
        return self.heal_seconds(number)


def another(number):
    return (number + 1) % MEMBERS


PROCESS_FAULTS = [
    Fleet.kill, Fleet.stop, Fleet.restart_all, Fleet.pause, Fleet.die, Fleet.kill_leader, Fleet.take_engine_away]
NETWORK_FAULTS = [
    Fleet.cut_from_engine, Fleet.cut_off, Fleet.cut_members, Fleet.cut_from_upstream, Fleet.cut_leader]


def faults_of(machine):
    """Those that can happen to such machines."""
    return PROCESS_FAULTS + (NETWORK_FAULTS if machine is Machine else [])
