#!/usr/bin/env python3
"""Puts faults into copies of the Python client, one at a time; typeahead.py has to find each of them.

    python3 typeahead_faults.py
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "Faults"))
from share import share  # noqa: E402

# For what a fault keeps from coming; without one there is no hurry.
PATIENCE_SECONDS = 5
HERE = pathlib.Path(__file__).parent
CLIENT = HERE.parent.parent / "examples/clients/python/typeahead.py"

# What is wrong then, and what is put in the place of what.
FAULTS = [
    ("stale results are shown", "if self.newest is asyncio.current_task():\n                self",
     "if lines or self.newest is asyncio.current_task():\n                self"),
    ("the spinner stays on behind an error", 'lines = [f"failed {failure}"]', "self.show(f'failed {failure}'); return"),
    ("the spinner stays on behind what is not wanted", "lines = []", "return"),
    ("being superseded is an error", "if code in (SUPERSEDED, CANCELLED)", "if code == CANCELLED"),
    ("being cancelled is an error", "if code in (SUPERSEDED, CANCELLED)", "if code == SUPERSEDED"),
    ("a gateway that goes is an error", "if code == SHUTTING_DOWN", "if code == 0"),
    ("errors are silent", 'lines = [f"failed {failure}"]', "lines = []"),
    ("a lost connection ends the request", "continue", "return"),
    ("a lost connection turns the spinner off", "except Lost:", "except Lost:\n                self.settle(); return"),
    ("it does not connect again", "await asyncio.sleep(self.pause", "return await asyncio.sleep(self.pause"),
    ("the spinner goes on again with each letter", "if self.idle.is_set():\n            self.idle.clear()",
     "if True:\n            self.idle.clear()"),
    ("clearing says nothing to the gateway", 'self.send(method="$/cancelRequest"', 'dict(method="$/cancelRequest"'),
    ("clearing forgets nothing", "self.newest.cancel()\n", "self.gateway\n"),
    ("older queries are asked again, too", "if self.newest is not asyncio.current_task():\n", "if False:\n"),
    ("requests have no key", ", task=task)", ")"),
    ("ids are used again", "next(self.ids)", "1 + len(self.open)"),
    ("half a line is an answer", '.endswith(b"\\n")', ""),
    ("what is no message ends listening for good",
     "except (OSError, ValueError, TypeError, LookupError, AttributeError):", "except OSError:"),
    ("an error that is no object ends the connection", "error if isinstance(error, dict) else {}", "error"),
    ("what an error lacks is shown as something", "code if type(code) is int else 0", "code"),
    ("an error of null is one", 'None if message.get("error") is None', 'None if "error" not in message'),
    ("lines may be as long as they like", "limit=LINE_LIMIT_BYTES", "limit=1 << 30"),
    ("an answer that nobody waits for ends the connection", 'self.open.pop(message.get("id"), None)',
     'self.open.pop(message["id"])'),
    ("who this is is not said", "if self.token:\n", "if False:\n"),
    ("who this is is said once, and not when it connects again", "await self.authenticate(reader)",
     "await self.authenticate(reader); self.token = None"),
    ("it asks before it is known", "await self.authenticate(reader)",
     'self.send(id=0, method="lastword.authenticate", params={"token": self.token})'),
    ("a token that is refused is tried again", "if failure.code == UNAUTHENTICATED:", "if False:"),
    ("a gateway that has no time refuses for good", "if failure.code == UNAUTHENTICATED:", "if True:"),
    ("whoever answers is trusted", 'ssl.create_default_context(cafile=os.environ.get("LASTWORD_CA"))',
     "ssl._create_unverified_context()"),
    ("a certificate may be for any host", "ssl=self.tls)", 'ssl=self.tls, server_hostname=self.tls and "localhost")'),
    ("whoever is not trusted is tried again", 'self.refused(f"certificate: ', 'str(f"certificate: '),
    ("a refusal ends well", "NOT_ALLOWED_STATUS = 77", "NOT_ALLOWED_STATUS = 0"),
]


def itself(copy):
    return [copy]


def passes(check, source, name, words, **environment):
    with tempfile.TemporaryDirectory() as directory:
        copy = pathlib.Path(directory, name)
        copy.write_text(source)
        checked = subprocess.run([sys.executable, check, sys.executable, *words(copy)], env=os.environ | environment,
                                 text=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        print(checked.stderr.strip(), file=sys.stderr)
        # A check that breaks down has found nothing.
        if checked.returncode != 0 and not checked.stderr.startswith("error: "):
            sys.exit("error: the check itself failed")
        return checked.returncode == 0


def find_all(faults, program, check, patience_seconds=PATIENCE_SECONDS, words=itself):
    """Each fault in its turn is put into a copy of the program, which Python runs by those words, and has to be found."""
    source = program.read_text()
    if not passes(check, source, program.name, words):
        sys.exit("error: it fails without a fault as well")
    for what, old, _ in faults:
        if source.count(old) != 1:
            sys.exit(f"error: {old!r} is not once in {program}: {what}")
    tried = share(faults)
    for what, old, new in tried:
        print(f"-- {what}", file=sys.stderr, flush=True)
        if passes(check, source.replace(old, new), program.name, words, TYPEAHEAD_PATIENCE_SECONDS=str(patience_seconds)):
            sys.exit(f"error: it was not found that {what}")
    print(len(tried))


if __name__ == "__main__":
    find_all(FAULTS, CLIENT, HERE / "typeahead.py")
