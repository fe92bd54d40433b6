"""What a round needs: the gateway as the attack wants it, its upstreams, an honest client; the same beside it, which
nobody attacks."""
from access import OPEN, PRINCIPALS, listener
from gateway import Gateway, Upstream
from honest import be_honest
from issuers import published
from newcomer import come_anew
from processes import Branch
from scene import Target

HOUR = 3_600_000
# Clients may ask for an hour here; what they leave behind has to be over by the operator's time.
BOUNDS = {"drainMs": 500, "orphanMs": 500, "longestTimeoutMs": HOUR, "longestDrainMs": HOUR, "longestDebounceMs": HOUR,
          "longestMaxWaitMs": HOUR}
# What attackers ask for, unless they share the honest client's upstream.
THEIRS = ["hold", "stubborn", "slow", "large", "work", "counts"]


class Stage:
    """Everything that a round needs, started and ended."""

    def __init__(self, binary, attack, directory):
        self.attack, self.started = attack, []
        try:
            self.start(binary, directory)
        except BaseException:
            self.__exit__()
            raise

    def start(self, binary, directory):
        upstream = self.begin(Upstream())
        theirs = upstream if self.attack.shares_upstream else self.begin(Upstream())
        self.web = self.begin(Upstream("--http")) if self.attack.asks_web else None
        self.gateway = self.open(binary, directory, upstream, theirs)
        aside, own = directory / "beside", self.begin(Upstream())
        aside.mkdir()
        beside = self.open(binary, aside, own, own)
        self.honest, self.beside = (
            self.begin(Branch(be_honest, one.ports[0], self.attack.ask, self.attack.door))
            for one in (self.gateway, beside))
        self.newcomer = None
        if self.attack.newcomers:
            self.newcomer = self.begin(Branch(come_anew, self.gateway.ports[0], self.attack.door))

    def open(self, binary, directory, upstream, theirs):
        return self.begin(Gateway(binary, directory, self.configuration(directory, upstream, theirs)))

    def begin(self, one):
        self.started.append(one)
        return one

    @property
    def target(self):
        gateway = self.gateway
        return Target(gateway.ports, gateway.admin_port, gateway.pid, gateway.file)

    def configuration(self, directory, upstream, theirs):
        """The attack's own, around what every attack has."""
        own = self.attack.configuration
        log = {"format": "text", **own.get("log", {})}
        if "audit" in log:
            log["audit"] = str(directory / log["audit"])
        upstreams = [{"name": "main", "address": f"tcp:127.0.0.1:{upstream.port}", **own.get("main", {})}]
        routes = list(own.get("route", []))
        if not self.attack.shares_upstream:
            address = {"name": "theirs", "address": f"tcp:127.0.0.1:{theirs.port}"}
            upstreams.append({**address, **own.get("theirs", {})})
            routes += [{"method": method, "upstream": "theirs"} for method in THEIRS]
        if self.web:
            upstreams.append({"name": "web", "address": f"http://127.0.0.1:{self.web.port}/"})
        door, principals = self.attack.door, own.get("principal", PRINCIPALS)
        return {
            # Otherwise nobody but root may look at what it holds.
            "coreDumps": "allowed",
            "log": log,
            "bounds": {**BOUNDS, **own.get("bounds", {})},
            "admin": {"address": "127.0.0.1:0", **own.get("admin", {})},
            "listen": [listener(door, **own.get("listen", {}))] + [listener(one) for one in self.attack.other_doors],
            "issuer": published(own.get("issuer", []), directory),
            "principal": [] if {door, *self.attack.other_doors} == {OPEN} else principals,
            "upstream": upstreams + own.get("upstream", []), "route": routes}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for one in reversed(self.started):
            one.__exit__()
