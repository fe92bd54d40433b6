"""Machines of a test: network namespaces behind one bridge, which can be cut off from each other without either noticing
anything but silence. What they are made of ends with the test, and nothing of it can be reached from outside."""
import atexit
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

PATIENCE_SECONDS = 60
BRIDGE = "10.0.0.1"
# Below those that the kernel gives to who connects.
FIRST_PORT = 7_000
# Nobody has it: what is sent there is lost.
NOBODY = "02:00:00:00:00:00"
HAS_OWN_NETWORK = "LASTWORD_TEST_OWN_NETWORK"


class Failed(Exception):
    """Something does not do what it must."""


def eventually(what, is_so):
    end = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        if time.monotonic() > end:
            raise Failed(f"not within {PATIENCE_SECONDS} s: {what}")
        time.sleep(0.05)


def run(*words):
    subprocess.run([*map(str, words)], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def enter_own_network():
    """Runs the program again in a network of its own, where machines can be made. Gives whether it is in one: where that
    cannot be, all is at this machine's loopback."""
    if os.environ.get(HAS_OWN_NETWORK):
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "bridge", "type", "bridge")
        run("ip", "address", "add", f"{BRIDGE}/24", "dev", "bridge")
        run("ip", "link", "set", "bridge", "up")
        return True
    unshare = ["unshare", "--net", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    probe = "ip link add bridge type bridge && ip link add one type veth peer name other"
    try:
        tried = subprocess.run([*unshare, "sh", "-c", probe], stderr=subprocess.DEVNULL, check=False)
    except FileNotFoundError:
        return False
    if tried.returncode != 0:
        return False
    os.environ[HAS_OWN_NETWORK] = "1"
    sys.stdout.flush()
    return os.execvp("unshare", [*unshare, sys.executable, *sys.argv])


class Loopback:
    """This machine, where there can be no others."""
    address, prefix = "127.0.0.1", ()

    def port(self):
        with socket.create_server((self.address, 0)) as listener:
            return listener.getsockname()[1]


class Machine:
    """One that has a network of its own, while its holder runs."""
    count = 0

    def __init__(self):
        Machine.count += 1
        number = Machine.count + 1
        self.address, self.ports = f"10.0.0.{number}", 0
        self.holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"], stdin=subprocess.DEVNULL)
        atexit.register(self.end)
        self.prefix = ("nsenter", f"--net=/proc/{self.holder.pid}/ns/net", "--")
        ours = os.readlink("/proc/self/ns/net")
        eventually("a machine is there", lambda: os.readlink(f"/proc/{self.holder.pid}/ns/net") != ours)
        run("ip", "link", "add", f"to{number}", "type", "veth", "peer", "name", "net", "netns", self.holder.pid)
        run("ip", "link", "set", f"to{number}", "master", "bridge", "up")
        self.run("ip", "address", "add", f"{self.address}/24", "dev", "net")
        for device in ("net", "lo"):
            self.run("ip", "link", "set", device, "up")

    def run(self, *words):
        run(*self.prefix, *words)

    def port(self):
        self.ports += 1
        return FIRST_PORT + self.ports

    def cut_from(self, *others):
        """What either sends to the other is lost from now on."""
        for other in others:
            self.lose(other)
            other.lose(self)

    def lose(self, other):
        self.run("ip", "neighbour", "replace", other.address, "lladdr", NOBODY, "dev", "net", "nud", "permanent")

    def join(self, *others):
        for other in others:
            self.find(other)
            other.find(self)

    def find(self, other):
        self.run("ip", "neighbour", "delete", other.address, "dev", "net")

    def end(self):
        self.holder.kill()
        self.holder.wait()


class Server:
    """A process on a machine that is started again as it was."""

    def __init__(self, machine, words, log, environment=None):
        self.machine, self.log, self.environment = machine, log, environment
        self.words = [*map(str, (*machine.prefix, *words))]
        self.name = words[0]
        self.start()
        atexit.register(self.end)

    def start(self):
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                self.words, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, **(self.environment or {})})

    def signal(self, number):
        self.process.send_signal(number)

    def end(self):
        if self.process.poll() is None:
            # One that stands still ends by it, too.
            self.process.kill()
        self.process.wait()

    def is_listening(self, port):
        try:
            socket.create_connection((self.machine.address, port), 1).close()
            return True
        except OSError:
            if self.process.poll() is not None:
                raise Failed(f"{self.name} ended: {Path(self.log).read_text()[-500:]}") from None
            return False
