"""What is compared, and how each of it is started on the core that is measured."""
import os
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

from programs import PROXY_CORE, Failed, Program, most_connections, start_and_read_port

HERE = Path(__file__).parent
STARTING_SECONDS = 60
# More than any measurement needs; the defaults are lower.
BOUNDS = {
    "LASTWORD_BOUNDS_CONNECTIONS": 12_000,
    "LASTWORD_BOUNDS_UNANSWERED_PER_CONNECTION": 20_000,
    "LASTWORD_BOUNDS_PAYLOAD_BYTES": 4 << 30,
    "LASTWORD_BOUNDS_LONGEST_TIMEOUT_MS": 3_600_000,
}
TASK_BOUNDS = ["LASTWORD_BOUNDS_TASKS", "LASTWORD_BOUNDS_WAITERS", "LASTWORD_BOUNDS_IN_FLIGHT_PER_ENDPOINT"]
# The first that lastword takes.
TASKS = [1_010_000, 1_000_000, 131_000]
# What lastword's environment says besides; None leaves one out.
VARIANTS = {
    "lastword": {}, "lastword-trusted": {"LASTWORD_TRUST_ANSWERS": "true"},
    "lastword-2-loops": {"LASTWORD_LOOPS": "2"}, "lastword-4-loops": {"LASTWORD_LOOPS": "4"},
    "lastword-4-loops-at-once": {"LASTWORD_LOOPS": "4", "LASTWORD_BOUNDS_COALESCE_US": "0"}}
# Somebody has its live page open.
WATCHED = "lastword-watched"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def wait_until_served(program, port):
    end = time.monotonic() + STARTING_SECONDS
    while time.monotonic() < end and program.process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.02)
    raise Failed(f"{program.process.args[3]} did not start")


class System:
    """One that runs: its port, and the process that is measured."""

    def __init__(self, name, program, port):
        self.name, self.program, self.port, self.pid = name, program, port, program.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.end()


class Systems:
    """Starts them by name; `wrapper` is a program that runs the measured one, as valgrind does."""

    NAMES = ["passthrough", "lastword", "lastword-trusted", "haproxy", "nginx", "node"]
    # Those that callgrind runs, and those that end so that their allocations can be told.
    COUNTED = ["passthrough", "lastword", "lastword-trusted", "haproxy", "nginx"]
    ALLOCATING = ["passthrough", "lastword", "lastword-trusted"]
    # Those that know keys.
    KEYED = ["lastword", "lastword-trusted", "node"]

    def __init__(self, binary, directory):
        self.binary, self.directory, self.core = binary, directory, PROXY_CORE
        self.tasks = next((tasks for tasks in TASKS if self.takes(tasks)), 0)

    def takes(self, tasks):
        words = [self.binary, "config", "show"]
        return subprocess.run(words, env=self.bounds(tasks), capture_output=True, check=False).returncode == 0

    @staticmethod
    def bounds(tasks):
        """What is set for others must not change what is measured."""
        own = {name: value for name, value in os.environ.items() if not name.startswith("LASTWORD_")}
        bounds = {**BOUNDS, **dict.fromkeys(TASK_BOUNDS, tasks)}
        return {**own, **{name: str(value) for name, value in bounds.items()}}

    def start(self, name, upstream_port, wrapper=(), environment=None, errors=None):
        environment = {**self.bounds(self.tasks), **(environment or {})}
        starts = {
            "passthrough": self.passthrough, "haproxy": self.haproxy, "nginx": self.nginx, "node": self.node}
        start = starts.get(name, self.lastword)
        return System(name, *start(name, upstream_port, list(wrapper), environment, errors))

    def passthrough(self, _, upstream_port, wrapper, environment, errors):
        words = [*wrapper, self.directory / "passthrough", upstream_port]
        return start_and_read_port(words, PROXY_CORE, env=environment, stderr=errors)

    def lastword(self, name, upstream_port, wrapper, environment, errors):
        # What upstream never answers must not keep it from ending.
        words = [*wrapper, self.binary, "serve", "--listen", "127.0.0.1:0", "--drain-ms", 0,
                 "--upstream", f"tcp:127.0.0.1:{upstream_port}", *(["--admin", "127.0.0.1:0"] if name == WATCHED else [])]
        log = self.directory / f"{name}-{time.monotonic_ns()}.log"
        with open(log, "w") as output:
            program = Program(words, self.core, env={**environment, **VARIANTS.get(name, {})}, stderr=output)
        program.log = log
        end = time.monotonic() + STARTING_SECONDS
        while time.monotonic() < end and program.process.poll() is None:
            text = log.read_text()
            found = re.search(r"Listening for JSON-RPC on 127\.0\.0\.1:(\d+)", text)
            if found and "upstream connected" in text:
                return program, int(found[1])
            time.sleep(0.02)
        raise Failed(f"{name} did not start: {log.read_text()}")

    def haproxy(self, _, upstream_port, wrapper, environment, errors):
        port = free_port()
        ports = {
            "LISTEN_PORT": str(port), "UPSTREAM_PORT": str(upstream_port),
            "MOST_CONNECTIONS": str(most_connections())}
        words = [*wrapper, find("haproxy"), "-db", "-f", HERE / "haproxy.cfg"]
        program = Program(
            words, PROXY_CORE, env={**environment, **ports}, stdout=subprocess.DEVNULL,
            stderr=errors or subprocess.DEVNULL)
        wait_until_served(program, port)
        return program, port

    def nginx(self, _, upstream_port, wrapper, environment, errors):
        port, own = free_port(), self.directory / f"nginx-{time.monotonic_ns()}"
        own.mkdir()
        configuration = (HERE / "nginx.conf").read_text().replace("UPSTREAM_PORT", str(upstream_port))
        configuration = configuration.replace("LISTEN_PORT", str(port)).replace("DIRECTORY", str(own))
        configuration = configuration.replace("MOST_DESCRIPTORS", str(2 * most_connections()))
        (own / "nginx.conf").write_text(configuration)
        words = [*wrapper, find("nginx"), "-e", "stderr", "-c", own / "nginx.conf"]
        program = Program(words, PROXY_CORE, env=environment, stderr=errors or subprocess.DEVNULL)
        wait_until_served(program, port)
        return program, port

    def node(self, _, upstream_port, wrapper, environment, errors):
        words = [*wrapper, find("node"), HERE / "gateway.mjs", upstream_port]
        return start_and_read_port(words, PROXY_CORE, env=environment, stderr=errors)


def find(name):
    """Debian keeps servers where only root looks."""
    found = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin")
    if found is None:
        raise Failed(f"there is no {name}: scripts/prepare bench installs it")
    return found
