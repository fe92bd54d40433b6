"""A container engine, the containers that it runs, and JSON-RPC with what is in them."""
import json
import os
import shlex
import socket
import subprocess
import tempfile
import time

READY_SECONDS, ANSWER_SECONDS, COMMAND_SECONDS, STOP_SECONDS = 30, 10, 120, 15
CLIENTS_PORT = 5278
# Everything an operator may take away is taken away.
CONFINED = ("--read-only", "--cap-drop=all", "--security-opt=no-new-privileges")


class Fault(Exception):
    """What an operator could not rely on."""


class Engine:
    """A docker, or what is used like one: by CONTAINER_ENGINE, and what its `run` needs here by CONTAINER_RUN."""

    def __init__(self):
        self.command = shlex.split(os.environ["CONTAINER_ENGINE"])
        self.run_options = shlex.split(os.environ.get("CONTAINER_RUN", ""))
        # Whoever runs out of memory leaves a note of that where the engine was called.
        self.directory = tempfile.TemporaryDirectory()
        self.shares_network = "--network=host" in self.run_options
        self.is_podman = os.path.basename(self.command[0]) == "podman"
        # Else podman puts a writable file system over /tmp and others.
        if self.is_podman:
            self.run_options.append("--read-only-tmpfs=false")

    def attempt(self, *words):
        return subprocess.run([*self.command, *words], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=COMMAND_SECONDS, cwd=self.directory.name)

    def call(self, *words):
        done = self.attempt(*words)
        if done.returncode != 0:
            raise Fault(f"{' '.join(words[:2])}: status {done.returncode}: {done.stderr.strip()}")
        return done.stdout.strip()

    def inspect(self, name, kind="container"):
        done = self.attempt("inspect", f"--type={kind}", name)
        # Podman fails where the container ends in this very moment: then it has ended, and can be looked at.
        text = done.stdout if done.returncode == 0 else self.call("inspect", f"--type={kind}", name)
        return json.loads(text)[0]


class Container:
    """One container from its start to its removal."""
    count = 0

    def __init__(self, engine, image, *words, port=CLIENTS_PORT, confined=CONFINED, options=()):
        Container.count += 1
        self.engine, self.name = engine, f"lastword-check-{os.getpid()}-{Container.count}"
        self.inner_port = port
        published = () if engine.shares_network else (f"--publish=127.0.0.1::{port}",)
        self.started = engine.attempt("run", "--detach", f"--name={self.name}", *engine.run_options, *published,
                                      *confined, *options, image, *words)

    def __enter__(self):
        if self.started.returncode != 0:
            self.__exit__()
            raise Fault(f"it does not start: {self.started.stderr.strip()}")
        return self

    def __exit__(self, *_):
        self.engine.attempt("rm", "--force", self.name)

    @property
    def port(self):
        if self.engine.shares_network:
            return self.inner_port
        return int(self.engine.call("port", self.name, f"{self.inner_port}/tcp").splitlines()[0].rsplit(":", 1)[1])

    @property
    def state(self):
        return self.engine.inspect(self.name)["State"]

    def execute(self, *words):
        return self.engine.call("exec", self.name, *words)

    def log(self):
        done = self.engine.attempt("logs", self.name)
        return done.stdout + done.stderr

    def session(self):
        """A connection that is answered: a published port accepts before the program behind it does."""
        def opened():
            if not self.state["Running"]:
                raise Fault(f"it has ended: {self.log()}")
            try:
                session = Session(self.port)
                session.call("lastword.ping")
                return session
            except OSError:
                return None
        return eventually(opened, f"no answer at port {self.inner_port}")

    def ended(self):
        """The exit status, once there is one."""
        eventually(lambda: not self.state["Running"], "it does not end")
        return self.state["ExitCode"]

    def health(self):
        """As the engine knows it: podman runs the check when told to, docker only by itself."""
        self.engine.attempt("healthcheck", "run", self.name)
        return self.state.get("Health", {}).get("Status", "none")

    def processes(self):
        """Name, state and what the kernel says of each process in it but of the one that asks."""
        script = 'for process in /proc/[0-9]*; do [ "${process#/proc/}" = $$ ] || cat "$process/status" || :; done'
        found = []
        for line in self.engine.attempt("exec", self.name, "sh", "-c", script).stdout.splitlines():
            name, _, value = line.partition(":")
            if name == "Name":
                found.append({})
            if found:
                found[-1][name] = value.strip()
        return [process for process in found if process["Name"] != "cat"]


class Session:
    """JSON-RPC over one connection, a line a message; closed from afar, it is an OSError."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), ANSWER_SECONDS)
        self.lines, self.count = self.socket.makefile("rb"), 0

    def send(self, method, params=None, **task):
        self.count += 1
        message = {"jsonrpc": "2.0", "id": self.count, "method": method}
        message |= ({} if params is None else {"params": params}) | ({"task": task} if task else {})
        self.socket.sendall(json.dumps(message).encode() + b"\n")
        return self.count

    def reply(self):
        try:
            line = self.lines.readline()
        except TimeoutError:
            raise Fault(f"no answer within {ANSWER_SECONDS} s") from None
        if not line.endswith(b"\n"):
            raise ConnectionError("the connection was closed")
        return json.loads(line)

    def call(self, method, params=None, **task):
        asked = self.send(method, params, **task)
        reply = self.reply()
        if reply["id"] != asked:
            raise Fault(f"asked {asked}, and was answered {reply}")
        return reply


def eventually(happened, complaint):
    end = time.monotonic() + READY_SECONDS
    while time.monotonic() < end:
        if result := happened():
            return result
        time.sleep(0.1)
    raise Fault(f"{complaint} within {READY_SECONDS} s")


def expect(what, found, wanted):
    if found != wanted:
        raise Fault(f"{what}: expected {wanted!r}, found {found!r}")
