"""A fleet: three etcds, three members and an upstream, each on a machine of its own, and what goes wrong with them."""
import json
import re
import signal
import subprocess
import threading
import time
import urllib.request
from pathlib import Path

from callers import first_served, patient, rolling, together
from machines import PATIENCE_SECONDS, Failed, Machine, Server, eventually, run

MEMBERS, ENGINES = 3, 3
# Above any answer's time: what a member leaves behind is done by then.
TAKEOVER_MILLISECONDS = 3_000
PROBED_KEYS = 64
# What docs/fleet.md promises: keys of a member that was killed are others' by then.
HEALED_SECONDS = 6
# Of two probes that are sent at once one may be heard later than the other, on a machine that has other things to do.
NOISE_SECONDS = 1
AWAY_SECONDS = 10
# Who allows so much loses nothing while the engine is away for so long.
PATIENT_MILLISECONDS, PATIENT_BATCH = 15_000, 8
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
        self.upstream = self.upstream_at(port, "jitter:1..30")

    def upstream_at(self, port, behaviour):
        machine = self.upstream_machine
        upstream = Server(
            machine,
            [self.binary, "load", "upstream", "--behaviour", behaviour, "--listen", f"{machine.address}:{port}",
             "--audience", "network"],
            self.directory / f"upstream{port}.log")
        eventually("upstream listens", lambda: upstream.is_listening(port))
        return upstream

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

    def __init__(self, binary, directory, machine, late_seconds=0):
        """`late_seconds`: so much later than promised is no fault, on a machine that may have other things to do."""
        self.directory, self.complaints, self.leaving = directory, [], set()
        self.late_seconds = late_seconds
        self.takeover_milliseconds = TAKEOVER_MILLISECONDS
        run(EXAMPLE / "secrets.sh", directory / "secrets")
        self.start_engines(machine)
        super().__init__(binary, directory, machine)
        self.await_settled()

    def start_upstream(self, machine):
        super().start_upstream(machine)
        # What is asked there takes some tenths of a second.
        port = machine.port()
        self.slow_address = f"{machine.address}:{port}"
        self.slow_upstream = self.upstream_at(port, "jitter:200..700")

    def upstream_words(self):
        """It refuses what members say late: only a file says that it wants fences."""
        path = self.directory / "fleet.toml"
        path.write_text(f'[[upstream]]\nname = "shared"\naddress = "tcp:{self.upstream_address}"\npassFence = true\n'
                        f'[[upstream]]\nname = "slow"\naddress = "tcp:{self.slow_address}"\n'
                        '[[route]]\nmethod = "slow"\nupstream = "slow"\n')
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
                 "--initial-cluster", cluster, "--pre-vote"], self.directory / f"etcd{number}.log")
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
                "LASTWORD_FLEET_TAKEOVER_MS": str(self.takeover_milliseconds)}

    @property
    def servers(self):
        return [*super().servers, self.slow_upstream, *self.engines]

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

    def place(self, number):
        return self.machines[number].address, self.ports[number]

    def heal_seconds(self, number):
        """How long a client of a member waits until keys all over the fleet have been served."""
        return max(self.served(number, "cancel", "probe", time.monotonic()).values())

    def served(self, number, policy, name, begun):
        keys = [f"{name}-{key}" for key in range(PROBED_KEYS)]
        return first_served(self.place(number), keys, policy, name, begun)

    # What goes wrong. Each gives how long it took until all keys were served again, and leaves all as it was.

    def kill(self, number):
        """A member is killed, and comes again."""
        self.end_at_once(number)
        return self.heal_after_kill(number, time.monotonic())

    def end_at_once(self, number):
        self.members[number].signal(signal.SIGKILL)
        self.members[number].process.wait()

    def heal_after_kill(self, number, begun):
        """Its keys are served within six seconds, and what must be alone waits for what the member may have left behind,
        and not for longer."""
        place, takeover = another(number), TAKEOVER_MILLISECONDS / 1_000
        served, alone = together(
            lambda: self.served(place, "cancel", "probe", begun), lambda: self.served(place, "wait", "alone", begun))
        healed, last_alone = max(served.values()), max(alone.values())
        print(f"{'':15}what must be alone after {last_alone:.1f} s", flush=True)
        if healed > HEALED_SECONDS + self.late_seconds:
            self.complain(f"a member was killed, and its keys were served after {healed:.1f} s")
        if last_alone > HEALED_SECONDS + takeover + self.late_seconds:
            self.complain(f"a member was killed, and what must be alone waited for {last_alone:.1f} s")
        noise = 2 * NOISE_SECONDS if self.late_seconds else NOISE_SECONDS
        if last_alone < healed + takeover - noise:
            self.complain(f"what must be alone was served {last_alone - healed:.1f} s after other keys of a member that "
                          "was killed, and may have met what that one had begun")
        self.members[number].start()
        return healed

    def complain(self, text):
        self.complaints.append(text)

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
        """All members are restarted, one after the other, and no client hears an error of what takes 0.7 s at most."""
        return self.roll(number, self.restart)

    def roll(self, number, restart):
        """`restart` is done to each member, while clients of all ask for what takes some tenths of a second."""
        healed, complaints, said = rolling(
            [self.place(place) for place in range(MEMBERS)], self.leaving,
            lambda: max(restart(place % MEMBERS) for place in range(number, number + MEMBERS)))
        print(f"{'':15}{said}", flush=True)
        for complaint in complaints:
            self.complain(f"while members were restarted {complaint}")
        return healed

    def restart(self, number):
        """Only its own clients may hear of it."""
        self.leaving.add(number)
        healed = self.stop(number)
        self.await_settled()
        self.leaving.discard(number)
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
        """All of the engine stands still for ten seconds, and who allows fifteen gets a result."""
        self.while_engine_is_away(PATIENT_MILLISECONDS)
        return self.heal_seconds(number)

    def while_engine_is_away(self, timeout_milliseconds):
        self.signal_engine(signal.SIGSTOP)
        heard = patient([self.place(place) for place in range(MEMBERS)], AWAY_SECONDS, PATIENT_BATCH,
                        timeout_milliseconds, "patient")
        self.signal_engine(signal.SIGCONT)
        complaints, results = heard()
        print(f"{'':15}{results} results for who allowed {timeout_milliseconds} ms, {len(complaints)} errors", flush=True)
        for complaint in complaints:
            self.complain(f"while etcd was away {complaint}")

    def signal_engine(self, number):
        for engine in self.engines:
            engine.signal(number)

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


class Control(Fleet):
    """A fleet in which promises are broken on purpose: each time there must be complaints."""

    def kill_all(self, number):
        """Members are killed one after the other, and not told to stop."""
        self.roll(number, self.kill_quietly)

    def kill_quietly(self, number):
        self.end_at_once(number)
        self.members[number].start()
        self.await_settled()
        return 0

    def kill_without_engine(self, number):
        """A member is killed while nobody can take its keys over."""
        self.signal_engine(signal.SIGSTOP)
        self.end_at_once(number)
        begun = time.monotonic()
        threading.Timer(HEALED_SECONDS, self.signal_engine, [signal.SIGCONT]).start()
        self.heal_after_kill(number, begun)

    def take_over_at_once(self, number):
        """A member is killed, and the others let nothing wait for what it may have left behind."""
        self.takeover_milliseconds = 0
        for place in range(MEMBERS):
            self.members[place].environment["LASTWORD_FLEET_TAKEOVER_MS"] = "0"
            self.restart(place)
        self.kill(number)

    def ask_impatiently(self, _number):
        """Who allows five seconds waits for an engine that is away for ten."""
        self.while_engine_is_away(5_000)

    def try_all(self):
        """Gives what went unnoticed."""
        for broken in (Control.kill_all, Control.kill_without_engine, Control.ask_impatiently, Control.take_over_at_once):
            self.complaints = []
            broken(self, 0)
            self.await_settled()
            print(f"{len(self.complaints):4} complaints: {broken.__doc__}")
            for complaint in self.complaints[:3]:
                print(f"{'':15}{complaint}", flush=True)
            if not self.complaints:
                yield f"nobody noticed: {broken.__doc__}"


def another(number):
    return (number + 1) % MEMBERS


PROCESS_FAULTS = [
    Fleet.kill, Fleet.stop, Fleet.restart_all, Fleet.pause, Fleet.die, Fleet.kill_leader, Fleet.take_engine_away]
NETWORK_FAULTS = [
    Fleet.cut_from_engine, Fleet.cut_off, Fleet.cut_members, Fleet.cut_from_upstream, Fleet.cut_leader]


def faults_of(machine):
    """Those that can happen to such machines."""
    return PROCESS_FAULTS + (NETWORK_FAULTS if machine is Machine else [])
