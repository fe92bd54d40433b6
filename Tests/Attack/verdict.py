"""What an attack's rounds come to: where it succeeded, if it did."""
from collections import Counter
from dataclasses import dataclass, field
from statistics import median

from scene import SLACK_BYTES
from wire import MIB

# What must be reached: at most so many times as late as who asks another gateway on the same machine meanwhile, or as
# without the attack; and what two turns of the loop may take besides, that of the request and that of its answer. Why
# these: proto/decisions/0060-how-attacks-are-judged.md.
MOST_RATIO, TURNS_SECONDS = 2, 0.005
# The system's own come and go.
PASSING_DESCRIPTORS = 2
# What comes back only with the next allocation, or never: pages of tables that have once been used.
KEPT_BYTES = 24 * MIB


@dataclass
class Verdict:
    attack: object
    rounds: list = field(default_factory=list)
    # Sooner nobody is late: where others use the machine, too, a few milliseconds say nothing.
    patience_seconds: float = 0

    def middle(self, name):
        return median(getattr(round, name) for round in self.rounds)

    def most(self, name):
        return max(getattr(round, name) for round in self.rounds)

    @property
    def usual_limit(self):
        """Where who asks another gateway is late, too, that is the machine's."""
        return max(MOST_RATIO * max(self.middle("quiet"), self.middle("beside")) + TURNS_SECONDS, self.patience_seconds)

    @property
    def limit(self):
        return max(self.usual_limit, self.attack.latest_ms / 1000)

    @property
    def takes_its_own_bound(self):
        """It is later than others may make anybody, and no later than is known of it."""
        return self.usual_limit < self.middle("attacked") <= self.limit

    def ratio(self, name):
        return self.middle("attacked") / self.middle(name)

    @property
    def outcomes(self):
        return sum((round.outcomes for round in self.rounds), Counter())

    @property
    def lost(self):
        return self.outcomes["lost"] + sum(round.wrong for round in self.rounds)

    @property
    def errors(self):
        return sum(count for name, count in self.outcomes.items() if name not in ("", "lost", "wrong"))

    @property
    def most_bytes(self):
        return self.attack.most_bytes + SLACK_BYTES

    @property
    def visits(self):
        return [visit for round in self.rounds for visit in round.visits]

    @property
    def anew(self):
        """How long whoever came anew waited at most, in milliseconds, from its first packet to its answer."""
        times = [visit.seconds for visit in self.visits if visit.seconds is not None]
        return f"{max(times) * 1000:.0f}" if times else ""

    def harm(self):
        """Every way in which it succeeded: a word, and what was seen."""
        if self.middle("attacked") > self.limit:
            yield "late", f"p99 {self.middle('attacked') * 1000:.1f} ms, at most {self.limit * 1000:.1f} ms"
        if self.lost:
            yield "lost", f"{self.lost} honest requests without their answer"
        if self.errors:
            codes = ", ".join(f"{count} × {code}" for code, count in self.outcomes.most_common()
                              if code not in ("", "lost", "wrong"))
            yield "errors", f"the honest client got {codes}"
        if self.most("peak") > self.most_bytes:
            yield "memory", f"{self.most('peak') // MIB} MiB more, at most {self.most_bytes // MIB} MiB"
        if self.most("left") > KEPT_BYTES:
            yield "left", f"{self.most('left') // MIB} MiB more than before are left"
        if self.most("descriptors") > PASSING_DESCRIPTORS + self.attack.kept_descriptors:
            yield "left", f"{self.most('descriptors')} descriptors more than before are left"
        visits = self.visits
        if kept_out := [visit for visit in visits if visit.seconds is None]:
            yield "kept out", f"{len(kept_out)} of {len(visits)} who came anew did not get in: {kept_out[0].reason}"
        elif self.attack.newcomers and not visits:
            yield "kept out", "nobody came anew"
        for text in dict.fromkeys(fault for round in self.rounds for fault in round.faults):
            yield "fault", text

    @property
    def misses_time_alone(self):
        return {word for word, _ in self.harm()} == {"late"}
