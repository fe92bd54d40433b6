"""Containers that a compose file of examples names, from `up` to `down`, and faulty copies of them."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import urllib.request

import engine as engines
from engine import ANSWER_SECONDS, CLIENTS_PORT, Engine, Fault, Session, expect

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "Faults"))
from share import share  # noqa: E402

EXAMPLES = pathlib.Path(__file__).parent.parent.parent / "examples"
COMMAND_SECONDS = 300


class Composition:
    """The containers from `up` to `down`."""

    def __init__(self, engine, directory, services):
        self.engine, self.directory, self.services = engine, directory, services
        self.project = f"lastword-composed-{os.getpid()}"
        self.command = shlex.split(os.environ["COMPOSE_COMMAND"])

    def compose(self, *words):
        try:
            done = subprocess.run([*self.command, "-f", "compose.yaml", "-p", self.project, *words], cwd=self.directory,
                                  text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=COMMAND_SECONDS)
        except subprocess.TimeoutExpired:
            raise Fault(f"{words[0]}: no end within {COMMAND_SECONDS} s") from None
        if done.returncode != 0:
            raise Fault(f"{words[0]}: status {done.returncode}: {done.stdout}")
        return done.stdout

    def __enter__(self):
        try:
            self.compose("up", "--detach", "--no-build")
        except Fault:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        try:
            self.compose("down", "--volumes")
        except Fault as fault:
            print(fault, file=sys.stderr)

    def containers(self):
        """Of each service that has one, its name."""
        listed = self.engine.call("ps", "--all", "--format", "{{.Names}}").split()
        ours = [name for name in listed if name.startswith(self.project)]
        return {service: name for name in ours for service in self.services if service in name}

    def state(self, service):
        return self.engine.inspect(self.containers()[service])["State"]

    def execute(self, service, *words):
        return self.engine.call("exec", self.containers()[service], *words)

    def expect_running(self, service):
        if not self.state(service)["Running"]:
            done = self.engine.attempt("logs", self.containers()[service])
            raise Fault(f"{service} has ended: {done.stdout}{done.stderr}")

    def health(self, service):
        self.engine.attempt("healthcheck", "run", self.containers()[service])
        return self.state(service)["Health"]["Status"]

    def expect_confined(self, service, may_be_root=False):
        self.expect_running(service)
        name = self.containers()[service]
        described = self.engine.inspect(name)
        expect(f"{service} is read-only", described["HostConfig"]["ReadonlyRootfs"], True)
        if not may_be_root:
            expect(f"root in {service}", described["Config"]["User"].split(":")[0] in ("", "0", "root"), False)
        status = self.engine.call("exec", name, "cat", "/proc/1/status")
        # Those that it could ever have: without root it has none as yet.
        expect(f"capabilities of {service}", int(re.search(r"CapBnd:\s+(\w+)", status)[1], 16), 0)
        expect(f"{service} can gain no privileges", "NoNewPrivs:\t1" in status, True)


def fetched(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=ANSWER_SECONDS) as response:
        return response.read().decode()


def session(port=CLIENTS_PORT):
    try:
        found = Session(port)
        found.call("lastword.ping")
        return found
    except OSError:
        return None


def is_found(check, engine, directory, fault):
    """Whether a copy with a fault is found by what it is to be found by.

    A fault is what is wrong then, in which file what takes the place of what, and the beginning of what is found.
    """
    name, file, old, new, words = fault
    with tempfile.TemporaryDirectory() as copy:
        for part in {"clients", "prometheus", "upstreams", directory.name}:
            shutil.copytree(EXAMPLES / part, pathlib.Path(copy, part))
        changed = pathlib.Path(copy, directory.name, file)
        text = changed.read_text()
        if old not in text:
            raise Fault(f"{name}: {file} has no {old!r}")
        changed.write_text(text.replace(old, new))
        pathlib.Path(copy).chmod(0o755)
        try:
            check(engine, changed.parent)
            finding = None
        except Fault as fault:
            finding = str(fault).strip()
    found = finding is not None and finding.startswith(words)
    print(f"{'found' if found else 'NOT FOUND'}: {name}: {finding}", flush=True)
    return found


def check_all(check, example, faults, fault_ready_seconds):
    """Checks an example, and then a share of its faulty copies, which have to be found; returns how many those were.

    `fault_ready_seconds` says of an engine how long is waited there for what a fault may keep from coming.
    """
    engine, directory = Engine(), EXAMPLES / example
    check(engine, directory)
    engines.READY_SECONDS = fault_ready_seconds(engine)
    tried = share(faults)
    if not all([is_found(check, engine, directory, fault) for fault in tried]):
        raise Fault("a fault was not found")
    return len(tried)
