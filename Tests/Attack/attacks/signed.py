"""Tokens that issuers sign: forged ones, too many, too many principals by them, and those that end under load."""
import json
import secrets
import time
from collections import Counter

import issuers
from access import ATTACKER, OTHER, TLS, TOKEN, TOKENS, log_in, read_line
from attacks.audits import AUDITED, entries
from attacks.logins import REFUSED, nobody_got_in
from attacks.revoked import cancels, judge_gone, judge_soon_gone, judge_work, revoke, rewrite, works
from forgeries import constant, forgeries
from issuers import HOUR_SECONDS, block, claims, key, keys
from scene import attack

FAILED = b'{"jsonrpc":"2.0","id":0,"error":{"code":-32087,"message":"unauthenticated"}}\n'
ISSUED = {"issuer": [block("login"), block("other")]}
# Where one key is enough.
SHORT = {"issuer": [block(keys=[("login", "ed")])]}
# So many of strangers the audit log tells in a second, and a few less.
FAILURES_EACH_SECOND = 400
NAME = f"{issuers.NAME}/{OTHER}"


def ours(subject=ATTACKER, **said):
    return key("login", "ed").token(claims(subject, **said))


def told(gateway, counts):
    """The audit log has a word for each failure, the right one, and nothing of a token."""
    lines = entries(gateway)
    events = [json.loads(line) for line in lines]
    failures = [event.get("reason") for event in events if event["message"] == "authentication failed"]
    # Each part of a token that is JSON begins so.
    complaints = ["something of a token is in the audit log"] if any("eyJ" in line for line in lines) else []
    wanted = {name.removeprefix("because "): count for name, count in counts.items() if name.startswith("because ")}
    for reason in sorted({*failures, *wanted}, key=str):
        if failures.count(reason) != wanted.get(reason, 0):
            complaints.append(f"{wanted.get(reason, 0)} tokens were wrong because {reason!r}, and the audit log tells "
                              f"of {failures.count(reason)}")
    return complaints


def forge(scene):
    """One after the other, so that it is known which of them counted, if any."""
    forged, began = forgeries(), None
    # Else all of them could fail for one reason.
    scene.enter(f"{issuers.NAME}/{ATTACKER}", token=ours()).close()
    scene.counts["right"] += 1
    while not scene.is_finished:
        began = time.monotonic()
        for what, token, reason in forged:
            with scene.connect() as client:
                client.sendall(log_in(token))
                line = read_line(client)
            scene.counts["tried"] += 1
            scene.counts[f"because {reason}"] += 1
            if line != FAILED:
                scene.blame(f"a token with {what} was answered {line[:200]!r}")
        scene.stopping.wait(max(0, began + len(forged) / FAILURES_EACH_SECOND - time.monotonic()))


FORGED = {"door": TOKEN, "newcomers": True, "configuration": AUDITED | ISSUED, "reaches": ("tried", "right")}


@attack("signed-forged", **FORGED, afterwards=[told])
def signed_forged(scene):
    """Some 140 kinds of forged, altered, odd and expired signed tokens: none counts, and the audit log says why"""
    forge(scene)


def flood(scene):
    """Signatures that have to be looked at to be refused."""
    forged = []
    for number in range(32):
        forged += [one.token(claims(str(number))) for one in keys("strangers").values()]
        # Less than the modulus, or it would not be looked at.
        signature = constant(bytes(1) + secrets.token_bytes(255))
        forged.append(key("login", "rsa").token(claims(str(number)), sign=signature))
    three = [b"".join(map(log_in, forged[at:at + 3])) for at in range(0, len(forged), 3)]
    batch = b"[" + b",".join(log_in(token).rstrip() for token in forged[:18]) + b"]\n"
    scene.crowd(first=three + [batch] * 32, counting=REFUSED).run().close()
    nobody_got_in(scene)


@attack("signed-flood", door=TOKEN, newcomers=True, configuration=ISSUED, reaches=("-32087", "closed"))
def signed_flood(scene):
    """64 connections present forged tokens of each algorithm as fast as it goes, and come again"""
    flood(scene)


@attack("signed-again", door=TOKEN, newcomers=True, configuration=ISSUED, reaches=("let in",))
def signed_again(scene):
    """16 connections that are let in present right tokens of each algorithm without end"""
    logins = b"".join(log_in(one.token(claims())) for one in keys("login").values()) * 8
    scene.crowd(connections=16, again=logins, counting=REFUSED).run().close()


MOST_PRINCIPALS, SUBJECTS = 50, 200


def subjects(scene):
    """Each connection is another one of whom only the issuer knows, and stays."""
    first, totals = [log_in(ours(f"subject-{number}")) for number in range(SUBJECTS)], Counter()
    scene.begin()
    while not scene.is_finished:
        crowd = scene.crowd(first=first, counting=REFUSED)
        crowd.run(until=lambda: crowd.counts["let in"] + crowd.counts["-32082"] >= SUBJECTS)
        if crowd.counts["let in"] > MOST_PRINCIPALS:
            scene.blame(f"{crowd.counts['let in']} principals at once, of {MOST_PRINCIPALS} that there may be")
        totals += crowd.counts
        crowd.close()
        # They are forgotten once a second at most.
        scene.wait(0.2)
    scene.counts = totals


@attack("signed-subjects", door=TOKEN, newcomers=True, reaches=("let in", "-32082"),
        configuration=SHORT | {"bounds": {"issuedPrincipals": MOST_PRINCIPALS}})
def signed_subjects(scene):
    """200 right tokens, each of somebody else, where 50 may be known: who is in the file comes all the while"""
    subjects(scene)


def ends(scene):
    """Connections with requests, all of whose tokens end in a second or two, again and again."""
    scene.begin()
    observer = scene.enter(ATTACKER)
    while not scene.is_finished:
        token = ours(OTHER, lasting=2)
        clients, before = works(scene, name=NAME, token=token), cancels(observer)
        judge_gone(scene, clients, token)
        judge_work(scene, observer, before)
    observer.close()


@attack("signed-ends", door=TOKEN, newcomers=True, configuration=SHORT, reaches=("ended", "taken back"))
def signed_ends(scene):
    """The token of 20 connections with 4,000 requests ends: they hear so and end, and nobody else feels it"""
    ends(scene)


@attack("signed-ends-tls", door=TLS, newcomers=True, configuration=SHORT, reaches=("ended", "taken back"))
def signed_ends_tls(scene):
    """The same under TLS"""
    ends(scene)


def lose_key(scene):
    """The file of keys without the one that has signed, and with it again."""
    path, text = scene.file.parent / f"{issuers.NAME}.jwks", scene.file.read_text()

    def publishing(owner):
        issuers.publish(path, [(owner, "ed")])
        rewrite(scene, text)

    revoke(scene, lambda: publishing("strangers"), lambda: publishing("login"), name=NAME, token=ours(OTHER))


@attack("key-removed", door=TOKEN, newcomers=True, configuration=SHORT, reaches=("ended", "taken back"))
def key_removed(scene):
    """SIGHUP takes an issuer's key away from 20 connections with 4,000 requests: they end, and nobody else feels it"""
    lose_key(scene)


# Whether the suite finds what it is for.
@attack("weak-issuer", door=TOKEN, succeeds_by="fault", seconds=1.5,
        configuration=AUDITED | {"issuer": [block("login", keys=issuers.owned("strangers")), block("other")]})
def weak_issuer(scene):
    """The forged tokens, where the strangers' keys are the issuer's"""
    forged = [one for one in forgeries() if one[0].startswith("by a stranger's")]
    for what, token, _ in forged:
        with scene.connect() as client:
            client.sendall(log_in(token))
            if (line := read_line(client)) != FAILED:
                scene.blame(f"a token with {what} was answered {line[:200]!r}")
    scene.wait()


@attack("weak-reasons", door=TOKEN, succeeds_by="fault", seconds=1.5, configuration=AUDITED | SHORT,
        afterwards=[told])
def weak_reasons(scene):
    """A token that is wrong for another reason than it is said to be"""
    with scene.connect() as client:
        client.sendall(log_in(TOKENS[ATTACKER] + "x"))
        read_line(client)
    scene.counts["because expired"] += 1
    scene.wait()


@attack("weak-subjects", door=TOKEN, succeeds_by="fault", seconds=1.5, configuration=SHORT)
def weak_subjects(scene):
    """The same 200 subjects, where there may be 10,000"""
    subjects(scene)


@attack("weak-ends", door=TOKEN, succeeds_by="fault", seconds=2.5,
        configuration={"issuer": [block(keys=[("login", "ed")], leewayMs=HOUR_SECONDS * 1000)]})
def weak_ends(scene):
    """Tokens that end in a second, where clocks may differ by an hour"""
    clients = [scene.enter(NAME, token=ours(OTHER, lasting=1)) for _ in range(2)]
    scene.wait(1)
    judge_soon_gone(scene, clients)
