"""What is started, pinned and ended: by its process id, and whatever happens."""
import atexit
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

PROXY_CORE, LOAD_CORE = 0, 1
PATIENCE_SECONDS = 120
# So others that use the machine disturb less; without the right to it, nothing changes.
NICENESS = -20
WANTED_DESCRIPTORS = 40_000
# Descriptors that a proxy needs besides two for each of its connections.
SPARE_DESCRIPTORS = 100


# Otherwise what was started would stay behind.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


class Failed(Exception):
    """Something did not start, did not answer, or answered wrongly."""


def raise_descriptor_limit():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for limit in ((WANTED_DESCRIPTORS, max(hard, WANTED_DESCRIPTORS)), (hard, hard)):
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, limit)
            return
        except (ValueError, OSError):
            continue


def most_connections():
    return (resource.getrlimit(resource.RLIMIT_NOFILE)[0] - SPARE_DESCRIPTORS) // 2


def prefer():
    """Runs in the child. Where the kernel groups processes by session, niceness counts within a group."""
    os.setsid()
    try:
        os.setpriority(os.PRIO_PROCESS, 0, NICENESS)
        with open("/proc/self/autogroup", "w") as group:
            group.write(str(NICENESS))
    except OSError:
        pass


class Program:
    """A process on one core, or where there is room if that is None; `with` ends it."""

    def __init__(self, words, core, **options):
        pinned = [] if core is None else ["taskset", "--cpu-list", str(core)]
        self.process = subprocess.Popen([*pinned, *map(str, words)], preexec_fn=prefer, text=True, **options)
        self.pid = self.process.pid
        atexit.register(self.end)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        atexit.unregister(self.end)
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                stream.close()

    def memory_bytes(self):
        """What it holds that is not backed by a file, and not by the kernel's socket buffers."""
        with open(f"/proc/{self.pid}/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("RssAnon:"))


def start_and_read_port(words, core, **options):
    program = Program(words, core, stdout=subprocess.PIPE, **options)
    line = program.process.stdout.readline()
    if not line:
        raise Failed(f"{words[0]} did not start")
    # A port, or a whole address.
    return program, int(line.rsplit(":", 1)[-1])


def cpu_seconds(pids):
    """Of all their threads."""
    total = 0
    for pid in pids:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            total += int((thread / "schedstat").read_text().split()[0])
    return total / 1e9


def run_to_end(words, core, environment=None):
    """Gives what it wrote."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with Program(words, core, env=environment, **pipes) as program:
        try:
            out, errors = program.process.communicate(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            raise Failed(f"{words[0]} came to no end")
    if program.process.returncode != 0:
        raise Failed(f"{words[0]}: {errors.strip()} {out.strip()[-300:]}")
    return out


class Upstream:
    def __init__(self, directory):
        self.program, self.port = start_and_read_port([directory / "upstream"], LOAD_CORE)
        self.pid = self.program.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.end()

    def held(self):
        """How many requests it was asked that it never answers."""
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE_SECONDS) as peer:
            peer.sendall(b'{"jsonrpc":"2.0","id":1,"method":"held","params":[]}\n')
            return json.loads(peer.makefile().readline())["result"]

    def wait_for_held(self, count):
        end = time.monotonic() + PATIENCE_SECONDS
        while (held := self.held()) < count:
            if time.monotonic() > end:
                raise Failed(f"upstream got {held} of {count} requests")
            time.sleep(0.05)


class Load:
    """The load generator: one run of it."""

    def __init__(self, directory):
        self.path = directory / "load"

    def words(self, port, **options):
        words = [self.path, port]
        for name, value in options.items():
            for each in value if isinstance(value, list) else [value]:
                words += ["--" + name.replace("_", "-")] + ([] if each is True else [each])
        return words

    def run(self, port, **options):
        return json.loads(run_to_end(self.words(port, **options), LOAD_CORE))

    def stay(self, port, **options):
        """As `run`, but its connections stay open until the program that is given is ended."""
        program = Program(
            self.words(port, stay=True, **options), LOAD_CORE, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if not program.process.stdout.readline():
            program.end()
            raise Failed("the load generator broke off")
        return program
