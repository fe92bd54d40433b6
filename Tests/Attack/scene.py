"""An attack: what it is called, what the gateway is configured to, what must hold beside it; and where it plays."""
import json
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from access import ATTACKER, OPEN, OTHER, enter, read_line
from processes import fork
from wire import MIB, Crowd, connect, request

ATTACKS = {}
# Tables, buffers, and what the allocator keeps in reserve.
SLACK_BYTES = 24 * MIB
# What an attack without a word about memory may take at most: each client's output up to its soft bound, its tasks.
USUAL_BYTES = 64 * MIB


@dataclass
class Attack:
    name: str
    title: str
    play: object
    configuration: dict
    # What the honest client asks: a key of its own (echo), one that has to be kept a while (debounced), a ping, or a
    # key that everybody shares (shared).
    ask: str = "echo"
    # What the gateway may hold at most besides what it held before; afterwards nothing of it may be left.
    most_bytes: int = USUAL_BYTES
    seconds: float = 2.0
    # What the honest client's p99 may be in any case, in milliseconds, where an attack is known to miss the usual
    # bound, or to come near it: decision 0060 says which do, and why.
    latest_ms: float = 0
    # Whether what attackers ask for goes where the honest client's requests go.
    shares_upstream: bool = False
    asks_web: bool = False
    # What is told by the operator's time, before the honest client is judged again.
    pause_seconds: float = 0.0
    # The bound is set so high that the attack must succeed, in this way: otherwise nothing would be shown.
    succeeds_by: str | None = None
    # Further judgements, of the gateway while it is attacked: functions that give a complaint or none.
    checks: list = field(default_factory=list)
    # Those of what it has left, by the gateway and what the attacker counted: functions that give complaints.
    afterwards: list = field(default_factory=list)
    # Connections that it keeps to its own upstream, for the next request.
    kept_descriptors: int = 0
    # How the listener lets clients in, and those of further listeners.
    door: str = OPEN
    other_doors: list = field(default_factory=list)
    # Whether somebody who comes anew must get in all the while.
    newcomers: bool = False
    # What the attacker must have counted: else it did not get to what it attacks, and nothing was shown.
    reaches: tuple = ()
    # The same of what the gateway counts: its metrics without "lastword_", or its descriptors, and how much more each
    # must have been at some moment of the attack than before it. The honest client has some 200 requests a second.
    shows: dict = field(default_factory=dict)


def attack(name, **options):
    """The function plays the attack on a scene; its first line of documentation is its title."""
    def add(play):
        configuration = options.pop("configuration", {})
        ATTACKS[name] = Attack(name, play.__doc__.splitlines()[0].rstrip("."), play, configuration, **options)
        return play
    return add


class Target(NamedTuple):
    """Where the gateway is that is attacked."""
    ports: list
    admin_port: int
    process: int
    file: Path


class Scene:
    """What an attacker sees, in a process of its own: addresses, time, and what it has to say in the end."""

    def __init__(self, attack, target, seconds, cues, stopping):
        self.door, self.doors = attack.door, [attack.door, *attack.other_doors]
        self.ports, self.admin_port, self.process, self.file = target
        self.port = self.ports[0]
        self.seconds, self.cues, self.stopping = seconds, cues, stopping
        self.counts, self.faults, self.notes, self.end = Counter(), [], [], None

    def begin(self):
        """Its bytes are prepared: the rest is the attack."""
        if self.end is None:
            self.cues.prepared.set()
            self.cues.begin.wait()
            self.end = time.monotonic() + self.seconds

    @property
    def is_over(self):
        return self.stopping.is_set()

    @property
    def is_finished(self):
        return self.is_over or time.monotonic() > self.end

    def connect(self, port=None):
        self.begin()
        return connect(port or self.port)

    def enter(self, name=ATTACKER, index=0, **options):
        """A connection of somebody who is let in."""
        self.begin()
        return enter(self.ports[index], self.doors[index], name, **options)

    def crowd(self, **options):
        self.begin()
        crowd = Crowd(options.pop("port", self.port), self, **options)
        self.counts = crowd.counts
        return crowd

    def principals(self, name=ATTACKER, **options):
        """The same, of connections that are let in as this one."""
        return self.crowd(enter=lambda: enter(self.port, self.door, name, options.get("receive_bytes")), **options)

    def heard(self, *what):
        """How often the upstream that attackers ask has heard one of these."""
        with self.enter(OTHER) as observer:
            observer.sendall(request(1, "counts"))
            counts = json.loads(read_line(observer))["result"]
        return sum(counts.get(one, 0) for one in what)

    def blame(self, text):
        """What it found wrong by itself, however often."""
        if text not in self.faults:
            self.faults.append(text)

    def wait(self, seconds=None):
        """Until the attack is over, or for so long."""
        end = self.end if seconds is None else min(self.end, time.monotonic() + seconds)
        self.stopping.wait(max(0, end - time.monotonic()))


class Cues:
    """What the attacker and who starts it wait for."""

    def __init__(self):
        self.prepared, self.begin = fork.Event(), fork.Event()


def play(attack, target, seconds, cues, stopping):
    """Gives what the attacker did, what it found wrong by itself, and what is worth a line."""
    scene = Scene(attack, target, seconds, cues, stopping)
    try:
        attack.play(scene)
    except (OSError, EOFError) as error:
        scene.counts[type(error).__name__] += 1
    if scene.counts["-32601"]:
        scene.blame(f"nothing was shown: {scene.counts['-32601']:,} requests were for a method that there is none of")
    for name in attack.reaches:
        if not scene.counts[name]:
            scene.blame(f"nothing was shown: the attacker counted no {name!r}")
    return {name: count for name, count in scene.counts.items() if count}, scene.faults, scene.notes
