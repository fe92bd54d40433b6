#!/usr/bin/env python3
"""Checks of an image what those rely on who run it in containers; fails at the first thing that is not so.

    CONTAINER_ENGINE=docker python3 check.py IMAGE [CHECK...]
"""
import pathlib
import platform
import re
import sys
import tempfile

from engine import CONFINED, STOP_SECONDS, Container, Engine, Fault, eventually, expect

MIB = 1 << 20
MEMORY_BYTES = 64 * MIB
# A careless dependency is tens of megabytes; TLS, log-ins, signed tokens and quotas took 0.8 of one, HTTP and WebSocket
# on both sides and a page to type into 0.5, several loops 0.15, a fleet 0.45, answers in pieces and loads with them
# 0.15, MCP over HTTP 0.15, fences and their histories 0.05, what several loops write together and tell each other as it
# is 0.02, who is read from and how much a key may have 0.01, what
# is refused in a configuration and turns for what sends without a pause 0.05, turns for what loops tell each other and
# what members of a fleet may not do to each other 0.1, sessions of MCP that know each request, what is wrong with a
# configuration or a command line and what members may have of the keys 0.2, upstreams that vanish or have other
# addresses, tokens that wait, and numbers and counters that stay 0.07.
PROGRAM_LIMIT_BYTES = 19_100_000
SUPERSEDED, DEADLINE_EXCEEDED = -32080, -32083
BAD_CONFIGURATION, KILLED = 78, 137
# Long enough to still run when the gateway is told to stop, far shorter than what it is given then.
LAST_WORK_MS, ENDLESS_MS = 4000, 60_000
LOAD_SECONDS = 10
LOAD = ("--seconds", str(LOAD_SECONDS), "--connections", "64", "--depth", "16", "--keys", "64", "--shared-keys",
        "--policies", "cancel=6,wait=1,concurrent=1,preferPrevious=1,keepLatest=1,onAnswer=1", "--cancels", "0.05",
        "--disconnects", "10", "--size", "150..4096", "--fail-if", "results < 1000", "--fail-if", "superseded < 1000",
        "--fail-if", "violations > 0", "--quiet")
ORPHANS = 5
LABELS = "org.opencontainers.image."


def described(engine, image):
    """What is written on it."""
    description = engine.inspect(image, "image")
    config = description["Config"]
    if not re.fullmatch(r"[1-9]\d*:[1-9]\d*", config["User"]):
        raise Fault(f"user: {config['User']!r} is not two numbers that are not root's")
    # Docker has it among the rest, podman beside it.
    health = config.get("Healthcheck") or description.get("Healthcheck") or {}
    expect("health check", health.get("Test"), ["CMD", "lastword", "health"])
    expect("stop signal", config["StopSignal"], "SIGTERM")
    expect("ports", list(config["ExposedPorts"]), ["5278/tcp"])
    if "-c" in config["Entrypoint"] + (config.get("Cmd") or []):
        raise Fault("a shell starts it")
    version = engine.call("run", "--rm", *engine.run_options, *CONFINED, image, "--version").split()
    labels = {name.removeprefix(LABELS): text for name, text in config["Labels"].items() if name.startswith(LABELS)}
    expect("labels", {*labels}, {"title", "description", "licenses", "version", "revision"})
    if labels["version"] not in version:
        raise Fault(f"the label says version {labels['version']}, the program {' '.join(version)}")
    for layer in engine.call("history", "--no-trunc", "--format", "{{.Size}}\t{{.CreatedBy}}", image).splitlines():
        if not re.match(r"0 ?B\t", layer):
            print("  " + " ".join(layer.split())[:100])
    if not re.fullmatch("[0-9a-f]{12}(-dirty)?|unknown", labels["revision"]):
        raise Fault(f"the label says revision {labels['revision']!r}")
    size = ["--entrypoint=stat", image, "--format=%s", "/usr/local/bin/lastword"]
    size_bytes = int(engine.call("run", "--rm", *engine.run_options, *CONFINED, *size))
    # Elsewhere its linker makes it larger.
    if platform.machine() == "x86_64" and size_bytes >= PROGRAM_LIMIT_BYTES:
        raise Fault(f"program: {size_bytes} bytes are {PROGRAM_LIMIT_BYTES} or more")
    print(f"  program {size_bytes / 1e6:.2f} MB")
    print(f"  version {labels['version']}, revision {labels['revision']}")
    return f"{description['Size'] / 1e6:.0f} MB"


def demonstrates(engine, image):
    """The first thing that somebody new tries shows what it is to show, though there is little to search in it."""
    done = engine.attempt("run", "--rm", *engine.run_options, *CONFINED, image, "demo")
    if done.returncode != 0:
        raise Fault(f"demo: status {done.returncode}: {done.stdout.strip()[-500:]} {done.stderr.strip()[-500:]}")


def confined(engine, image, options=CONFINED):
    """It runs with as little as it can be given, and is healthy."""
    with Container(engine, image, confined=options) as container:
        container.session()
        processes = container.processes()
        expect("a gateway among the processes", "lastword" in [process["Name"] for process in processes], True)
        for process in processes:
            name = process["Name"]
            expect(f"root's ids of {name}", {"0"} & {*process["Uid"].split(), *process["Gid"].split()}, set())
            expect(f"capabilities of {name}", int(process["CapEff"], 16) | int(process["CapPrm"], 16), 0)
            expect(f"privileges {name} cannot gain", process["NoNewPrivs"], "1")
        # From outside it is the kernel that says who it is, wherever this machine runs the containers itself.
        status = pathlib.Path(f"/proc/{container.state['Pid']}/status")
        if status.exists():
            uids = re.search(r"^Uid:\s+(.*)", status.read_text(), re.MULTILINE)[1].split()
            expect("root's ids from outside", {"0"} & {*uids}, set())
            print(f"  ids from outside: {uids[0]}")
        root = [line.split() for line in container.execute("cat", "/proc/1/mounts").splitlines()]
        options_of_root = next(mount[3] for mount in root if mount[1] == "/").split(",")
        expect("the root file system is read-only", "ro" in options_of_root, True)
        for place in ("/here", "/tmp/here"):
            wrote = container.execute("sh", "-c", f"touch {place} 2>/dev/null && echo yes || echo no")
            expect(f"writing {place}", wrote, "no")
        eventually(lambda: container.health() == "healthy", "it is not healthy")


def serves(engine, image):
    """Clients outside are answered, the newest of them with the result."""
    with Container(engine, image) as container:
        session, other = container.session(), container.session()
        expect("that strangers are served is told", "Whoever reaches 0.0.0.0:5278 is served" in container.log(), True)
        expect("echo", session.call("echo", {"n": [1.0, "é"]})["result"], {"n": [1.0, "é"]})
        older = session.send("sleep", {"ms": ENDLESS_MS, "q": "old"}, key="box")
        # Read in turn, so the older one is being worked on.
        session.call("lastword.ping")
        expect("the newer one", other.call("sleep", {"ms": 1, "q": "new"}, key="box")["result"]["q"], "new")
        reply = session.reply()
        expect("the older one", (reply["id"], reply["error"]["code"]), (older, SUPERSEDED))
        expect("what is unknown", session.call("no such method")["error"]["code"], -32601)


def stops(engine, image):
    """Told to stop, it answers what it has begun, and ends well."""
    with Container(engine, image) as container:
        session = container.session()
        asked = session.send("sleep", {"ms": LAST_WORK_MS})
        session.call("lastword.ping")
        engine.call("stop", "-t", str(STOP_SECONDS), container.name)
        try:
            reply = session.reply()
        except OSError as error:
            raise Fault(f"what was asked before it stopped has no answer: {error}") from None
        expect("the last answer", (reply["id"], reply.get("result")), (asked, {"ms": LAST_WORK_MS}))
        expect("exit status", container.ended(), 0)


def configured(engine, image):
    """A mounted file, variables, and HOST and PORT are heeded, and what is wrong is said."""
    with tempfile.TemporaryDirectory() as directory:
        pathlib.Path(directory).chmod(0o755)
        file = pathlib.Path(directory, "lastword.toml")
        file.write_text('[bounds]\ntimeoutMs = 50\n[[listen]]\naddress = "0.0.0.0:6001"\naudience = "network"\n')
        mounted = f"--volume={directory}:/etc/lastword:ro,z"
        with Container(engine, image, port=6001, options=[mounted]) as container:
            reply = container.session().call("sleep", {"ms": ENDLESS_MS})
            expect("the file's deadline", reply["error"]["code"], DEADLINE_EXCEEDED)
            eventually(lambda: container.health() == "healthy", "it is not healthy where the file says")
        file.write_text("[bounds")
        with Container(engine, image, options=[mounted]) as container:
            expect("exit status with a wrong file", container.ended(), BAD_CONFIGURATION)
            expect("the place is told", "/etc/lastword/lastword.toml:1:8: error: " in container.log(), True)
    variables = ["--env=LASTWORD_BOUNDS_TIMEOUT_MS=50", "--env=PORT=6002"]
    with Container(engine, image, port=6002, options=variables) as container:
        reply = container.session().call("sleep", {"ms": ENDLESS_MS})
        expect("the variable's deadline", reply["error"]["code"], DEADLINE_EXCEEDED)
        eventually(lambda: container.health() == "healthy", "it is not healthy at PORT")
    with Container(engine, image, options=["--env=PORT=65536"]) as container:
        expect("exit status with a wrong PORT", container.ended(), BAD_CONFIGURATION)
        expect("the variable is told", "environment PORT: error: " in container.log(), True)
    with Container(engine, image, options=["--env=HOST=192.0.2.1"]) as container:
        expect("it does not listen where HOST does not say", container.ended() != 0, True)


def limited(engine, image):
    """Under load it needs less memory than is little for a container."""
    limit = [f"--memory={MEMORY_BYTES}", f"--memory-swap={MEMORY_BYTES}"]
    is_enforced = enforces(engine, image, limit)
    with Container(engine, image, options=limit if is_enforced else ()) as container:
        container.session()
        network = "host" if engine.shares_network else f"container:{container.name}"
        options = [option for option in engine.run_options if not option.startswith("--network")]
        load = engine.attempt("run", "--rm", *options, f"--network={network}", *CONFINED, image, "load",
                              f"--to=127.0.0.1:{container.inner_port}", *LOAD, "--json=-")
        expect("a container under load is killed", container.state["OOMKilled"], False)
        if load.returncode != 0:
            raise Fault(f"load: status {load.returncode}: {load.stderr.strip()} {load.stdout.strip()[-500:]}")
        # Of the shell that asks, too, which is next to nothing.
        peaks = [process["VmHWM"] for process in container.processes() if "VmHWM" in process]
        peak_bytes = sum(int(peak.split()[0]) * 1024 for peak in peaks)
        if peak_bytes >= MEMORY_BYTES:
            raise Fault(f"it had {peak_bytes / MIB:.1f} MiB of memory")
        container.session()
        engine.call("stop", "-t", str(STOP_SECONDS), container.name)
        expect("exit status behind load", container.ended(), 0)
    how = "enforced" if is_enforced else "measured, as no limit is enforced here"
    return f"at most {peak_bytes / MIB:.1f} MiB of {MEMORY_BYTES // MIB} ({how})"


def enforces(engine, image, limit):
    """Whether one that takes more memory than its limit is killed here."""
    glutton = ["--entrypoint=perl", image, "-e", f"my $x = 'x' x {4 * MEMORY_BYTES}; print 'had it'"]
    done = engine.attempt("run", "--rm", *engine.run_options, *limit, *glutton)
    if done.returncode not in (0, KILLED):
        print(f"  no limit of memory here: {done.stderr.strip().splitlines()[-1:]}")
    return done.returncode == KILLED


def reaps(engine, image):
    """What an upstream's program leaves behind does not stay as zombies."""
    script = f"for i in $(seq {ORPHANS}); do (sleep {ENDLESS_MS} & ); done; exec cat"
    with Container(engine, image, options=[f"--env=LASTWORD_UPSTREAM=exec:sh -c '{script}'"]) as container:
        container.session()

        def orphans():
            return [process for process in container.processes() if process["Name"] == "sleep"]
        eventually(lambda: len(orphans()) == ORPHANS, "there are no orphans")
        container.execute("sh", "-c", "kill " + " ".join(orphan["Pid"] for orphan in orphans()))
        eventually(lambda: not orphans(), "orphans stay as zombies")


CHECKS = [described, demonstrates, confined, serves, stops, configured, limited, reaps]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    engine, image, names, summary = Engine(), sys.argv[1], sys.argv[2:], []
    for check in CHECKS:
        if names and check.__name__ not in names:
            continue
        print(f"{check.__name__}: {check.__doc__}", flush=True)
        try:
            summary.append(check(engine, image))
        except Fault as fault:
            sys.exit(f"error: {check.__name__}: {fault}")
    print(", ".join([f"{len(summary)} checks passed", *filter(None, summary)]))


if __name__ == "__main__":
    main()
