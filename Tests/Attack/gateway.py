"""The gateway that is attacked, with a configuration of the attack's own, and what it holds."""
import http.client
import json
import os
import re
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

from processes import PATIENCE_SECONDS, Failed, Program

HERE = Path(__file__).parent
# One that has no bound must not take the machine with it.
MOST_ADDRESS_SPACE = 6 << 30
HEALTH_SECONDS = 2
METRIC = "lastword_"


class Upstream(Program):
    """The shared handler in a process of its own."""

    def __init__(self, *options):
        super().__init__([sys.executable, HERE / "upstream.py", *options], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE)
        line = self.process.stdout.readline()
        if not line:
            raise Failed("the upstream did not start")
        self.port = int(line)


def known_settings(binary):
    """What the configuration of this program knows: others are left out, and the attack finds what that makes of it."""
    text = subprocess.run([binary, "config", "example"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^#?(\w+)(?:\.\w+)* = ", text, re.MULTILINE))


def toml(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(one)}" for key, one in value.items()) + " }"
    return json.dumps(value)


def spell(configuration, known):
    """Blocks by name; a list is several blocks. What is no block stands before them."""
    lines = [f"{name} = {toml(value)}" for name, value in configuration.items()
             if not isinstance(value, (dict, list)) and name in known]
    for name, blocks in configuration.items():
        if not isinstance(blocks, (dict, list)):
            continue
        for block in blocks if isinstance(blocks, list) else [blocks]:
            lines.append(f"[[{name}]]" if isinstance(blocks, list) else f"[{name}]")
            lines += [f"{key} = {toml(value)}" for key, value in block.items() if key in known]
    return "\n".join(lines) + "\n"


class Gateway(Program):
    """The program under test."""

    def __init__(self, binary, directory, configuration):
        self.binary = binary
        self.file, self.log = directory / "lastword.toml", []
        self.file.write_text(spell(configuration, known_settings(binary)))
        environment = {name: value for name, value in os.environ.items() if not name.startswith("LASTWORD_")}
        super().__init__([binary, "serve", "--config", self.file], stderr=subprocess.PIPE, env=environment)
        resource.prlimit(self.pid, resource.RLIMIT_AS, (MOST_ADDRESS_SPACE, MOST_ADDRESS_SPACE))
        self.ports, self.admin_port, is_connected = [], None, False
        for line in self.process.stderr:
            self.log.append(line.rstrip())
            if found := re.search(r"Listening for JSON-RPC on 127\.0\.0\.1:(\d+)", line):
                self.ports.append(int(found[1]))
            # An upstream may have such an address, too.
            if "upstream" not in line.lower() and (found := re.search(r"http://127\.0\.0\.1:(\d+)/", line)):
                self.admin_port = int(found[1])
            is_connected = is_connected or "upstream connected" in line or "to upstream as needed" in line
            if len(self.ports) == len(configuration["listen"]) and self.admin_port and is_connected:
                break
        else:
            self.end()
            raise Failed("the gateway did not start: " + "\n".join(self.log[-3:]))
        threading.Thread(target=self.read_log, daemon=True).start()

    def read_log(self):
        try:
            for line in self.process.stderr:
                self.log.append(line.rstrip())
        except ValueError:
            pass  # It has been ended.

    @property
    def last_words(self):
        return next((line for line in self.log if "rror" in line or "atal" in line), "without a word")

    @property
    def has_ended(self):
        return self.process.poll() is not None

    def bytes(self, name):
        try:
            with open(f"/proc/{self.pid}/status") as status:
                return next((int(line.split()[1]) * 1024 for line in status if line.startswith(name + ":")), 0)
        except FileNotFoundError:
            return 0

    def peak_bytes(self):
        """Its own memory at its highest: the peak counts the program's file, too."""
        return self.bytes("VmHWM") - self.bytes("RssFile") - self.bytes("RssShmem")

    def descriptors(self):
        try:
            return len(os.listdir(f"/proc/{self.pid}/fd"))
        except FileNotFoundError:
            return 0

    def children(self):
        found = Path(f"/proc/{self.pid}/task/{self.pid}/children")
        return len(found.read_text().split()) if found.exists() else 0

    def processor_seconds(self):
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(") ")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except FileNotFoundError:
            return 0

    def settle(self, is_settled):
        """Waits, within reason, until it is as it was."""
        end = time.monotonic() + PATIENCE_SECONDS / 2
        while not is_settled() and time.monotonic() < end and not self.has_ended:
            time.sleep(0.05)

    def is_live(self):
        """Whether an orchestrator would leave it alone, by its page."""
        asked = http.client.HTTPConnection("127.0.0.1", self.admin_port, timeout=HEALTH_SECONDS)
        try:
            asked.request("GET", "/livez")
            return asked.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            asked.close()

    def counted(self):
        """Its metrics by name and labels, if the page answers, and its descriptors."""
        asked = http.client.HTTPConnection("127.0.0.1", self.admin_port, timeout=HEALTH_SECONDS)
        try:
            asked.request("GET", "/metrics")
            answer = asked.getresponse()
            page = answer.read().decode() if answer.status == 200 else ""
        except (OSError, http.client.HTTPException):
            page = ""
        finally:
            asked.close()
        lines = (line.rpartition(" ") for line in page.splitlines() if not line.startswith("#"))
        counted = {name.removeprefix(METRIC): float(value) for name, _, value in lines}
        return {**counted, "descriptors": self.descriptors()}

    def is_healthy(self):
        """The same, by the command that a container has for it."""
        words = [self.binary, "health", "--admin", f"127.0.0.1:{self.admin_port}"]
        return subprocess.run(words, capture_output=True, check=False, timeout=PATIENCE_SECONDS).returncode == 0
