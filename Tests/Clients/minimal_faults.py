#!/usr/bin/env python3
"""Puts faults into copies of the minimal Python client, one at a time; minimal.py has to find each of them.

    python3 minimal_faults.py
"""
import pathlib

from typeahead_faults import find_all

HERE = pathlib.Path(__file__).parent
CLIENT = HERE.parent.parent / "examples/clients/python/lastword.py"

# What is wrong then, and what is put in the place of what.
FAULTS = [
    ("requests have no key", ", params=params, task=task)", ", params=params)"),
    ("requests have no params", "params=params, task=task)", "task=task)"),
    ("ids are used again", "next(self.ids)", "1 + len(self.open)"),
    ("answers are taken in the order of the requests", 'self.open.get(message.get("id"))',
     "next(iter(self.open.values()), None)"),
    ("an answer that nobody waits for ends the connection", 'self.open.get(message.get("id"))', 'self.open[message["id"]]'),
    ("an error of null is one", 'if message.get("error") is None', 'if "error" not in message'),
    ("errors are results", 'answer.set_exception(RPCError(message["error"]))', "answer.set_result({'q': 'x'})"),
    ("being superseded is an error that somebody sees", "self.code in (-32080, -32800)", "self.code == -32800"),
    ("being cancelled is an error that somebody sees", "self.code in (-32080, -32800)", "self.code == -32080"),
    ("what was told to stop has surely not run", '("cancelSent", "mayHaveCompleted")', '("mayHaveCompleted",)'),
    ("what may have completed has surely not run", '("cancelSent", "mayHaveCompleted")', '("cancelSent",)'),
    ("what an upstream says beside its error breaks it", "isinstance(self.data, dict) and ", ""),
    ("who is cancelled says nothing to the gateway", 'self.send(method="$/cancelRequest", params={"id": number})', "pass"),
    ("another request than that is cancelled", 'params={"id": number}', 'params={"id": number + 1}'),
    ("what is open waits for ever when the connection ends", "if not answer.done():", "if False:"),
    ("what is asked later waits for ever", "if self.listening.done():", "if False:"),
    ("what is no message is passed over", "message = json.loads(await self.receive())\n",
     "message = json.loads(await self.receive())\n                if isinstance(message, list): continue\n"),
    ("who this is is not said", 'await self.call("lastword.authenticate", {"token": token})', "pass"),
    ("that a token is refused is heard by nobody", 'await self.call("lastword.authenticate", {"token": token})',
     'self.send(id=next(self.ids), method="lastword.authenticate", params={"token": token})'),
    ("whoever answers is trusted", "ssl.create_default_context(cafile=ca)", "ssl._create_unverified_context()"),
    ("a certificate may be for any host", "context = ssl.create_default_context(cafile=ca) if tls else None",
     "context = ssl.create_default_context(cafile=ca) if tls else None; context and setattr(context, 'check_hostname', False)"),
    ("TLS is not spoken", "if tls else None", "if False else None"),
    ("lines are no longer than a buffer of the library's", "limit=LONGEST_LINE, ", "limit=1 << 16, "),
]


if __name__ == "__main__":
    find_all(FAULTS, CLIENT, HERE / "minimal.py", words=lambda copy: [HERE / "minimal/driver.py", copy.parent])
