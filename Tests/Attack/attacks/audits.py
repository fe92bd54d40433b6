"""The audit log while others fail, are refused and cancel without end: sound, whole, and silent about tokens."""
import json
import time

from access import ATTACKER, BOUNDED, TOKEN, TOKENS, log_in
from attacks.logs import FORGED, ODD, WRONG_TOKEN, fault_of, tells
from scene import attack
from wire import MIB, many, request

FILE = "audit.log"
AUDITED = {"log": {"audit": FILE}}
# What a disk can take for hours, until somebody sees it.
MOST_BYTES_EACH_SECOND = 1 * MIB


def entries(gateway):
    return (gateway.file.parent / FILE).read_text().splitlines()


def sound(gateway, counts):
    """Every line is one event, and nothing of a token is in it."""
    lines = entries(gateway)
    complaints = [f"a line of the audit log {fault}" for fault in dict.fromkeys(map(fault_of, lines)) if fault]
    return complaints + (["something of a token is in the audit log"] if any(map(tells, lines)) else [])


def whole(gateway, counts):
    """Whatever was refused is noted, or counted among what is not."""
    events = [json.loads(line) for line in entries(gateway) if fault_of(line) is None]
    told = sum(event.get("events", 1) for event in events)
    refused = counts.get("-32087", 0) + counts.get("-32082", 0)
    return [f"{refused} refusals, of which the audit log tells {told}"] if told < refused else []


def slow(gateway, counts):
    each_second = (gateway.file.parent / FILE).stat().st_size / counts["milliseconds"] * 1000
    if each_second > MOST_BYTES_EACH_SECOND:
        return [f"the audit log grows by {each_second / MIB:.1f} MiB each second"]
    return []


REFUSED = {"-32087": b":-32087,", "-32082": b":-32082,"}
SOUND = {"door": TOKEN, "newcomers": True, "configuration": AUDITED | {"principal": BOUNDED},
         "afterwards": [sound, whole]}
GROWS = SOUND | {"afterwards": [sound, whole, slow]}


def floods(scene, crowd):
    """However much there is to note."""
    began = time.monotonic()
    crowd.run().close()
    scene.counts["milliseconds"] = int((time.monotonic() - began) * 1000)


def log_ins(scene):
    odd = [TOKENS[ATTACKER][:-1] + FORGED, *ODD[:-1], WRONG_TOKEN]
    three = [b"".join(map(log_in, (odd + odd)[at:at + 3])) for at in range(len(odd))]
    batch = b"[" + b",".join([log_in(WRONG_TOKEN).rstrip()] * 90) + b"]\n"
    floods(scene, scene.crowd(first=(three + [batch]) * 5, counting=REFUSED))


@attack("audit-log-ins", **SOUND, reaches=("-32087",))
def audit_log_ins(scene):
    """60 connections fail to log in, one by one and in batches, with tokens that would forge lines, and come again"""
    log_ins(scene)


@attack("audit-cancels", **SOUND, reaches=("cancelled",))
def audit_cancels(scene):
    """Keys and groups that would forge lines are cancelled without end"""
    asked = []
    for number, text in enumerate(ODD):
        name = text[:120]
        asked += [request(number, "hold", key=name, group=name), request("k", "lastword.cancel", {"key": name}),
                  request(number, "hold", key=name, group=name),
                  request("g", "lastword.cancel", {"group": name, "scope": "principal"})]
    counting = REFUSED | {"cancelled": b'{"cancelled":1}'}
    floods(scene, scene.principals(connections=4, again=b"".join(asked), counting=counting))


UNKNOWN = b'{"jsonrpc":"2.0","id":%d,"method":"a"}\n'


@attack("audit-unknown", **GROWS, reaches=("-32087",))
def audit_unknown(scene):
    """64 connections ask as fast as it goes without having said who they are: the log grows slowly"""
    floods(scene, scene.crowd(connections=64, again=many(200, UNKNOWN), counting=REFUSED))


@attack("audit-refusals", **GROWS, reaches=("-32082",))
def audit_refusals(scene):
    """8 connections of a principal ask as fast as it goes beyond its rate: the log grows slowly"""
    floods(scene, scene.principals(connections=8, again=many(200, UNKNOWN.replace(b'"a"', b'"work"')),
                                   counting=REFUSED))


@attack("audit-many-log-ins", **GROWS, reaches=("-32087",))
def audit_many_log_ins(scene):
    """64 connections fail to log in, 90 times with their first message, and come again"""
    batch = b"[" + b",".join([log_in(WRONG_TOKEN).rstrip()] * 90) + b"]\n"
    floods(scene, scene.crowd(connections=64, first=batch, counting=REFUSED))


# Whether the suite finds what it is for: the log cannot tell of failures that never were.
@attack("weak-audit", **SOUND, succeeds_by="fault", seconds=1.5)
def weak_audit(scene):
    """10,000 failures more than there are"""
    log_ins(scene)
    scene.counts["-32087"] += 10_000
