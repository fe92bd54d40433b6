#!/usr/bin/env python3
"""Plays attacks on the gateway beside an honest client. scripts/attack builds what it needs."""
import argparse
import importlib
import sys
from pathlib import Path

from processes import Failed, raise_descriptor_limit
from rounds import Times, run_round
from scene import ATTACKS
from verdict import Verdict
from wire import MIB

TOP = Path(__file__).parent
for file in sorted((TOP / "attacks").rglob("*.py")):
    importlib.import_module(".".join(file.relative_to(TOP).with_suffix("").parts))

# A part of each kind, and what shows that the suite finds anything.
BRIEF = [
    "debounced-notifications", "cancelled-drains", "line-5000", "ids-like-strings", "lane-drains-cancel",
    "lane-on-answer", "unread-joins", "half-sent-256", "batches-of-answers", "discover-burst", "ones-50", "bad-50",
    "admin-keys", "admin-half-64", "slow-requests", "held-requests", "unread-shared", "notifications-http",
    "notifications-exec", "drain-lock", "join-always", "keys-alike", "asks-most", "weak-memory", "weak-tasks",
    "weak-method", "weak-share", "weak-upstream", "tls-half-hellos", "tls-key-updates", "tls-records",
    "certificates-foreign", "tls-hellos", "admin-heads-begun",
    "unknown-1000", "tokens-wrong", "tokens-many-tries", "principal-cancels", "principal-joins", "log-injection",
    "admin-heads", "token-removed-tls", "weak-log-ins", "weak-namespace", "principal-many", "signed-forged",
    "key-removed", "rate-requests", "connects-over-quota", "audit-log-ins", "principal-evicted", "http-smuggling",
    "http-pipeline-flood", "websocket-never-readers", "websocket-fragment-dust", "mcp-sessions-left",
    "signed-flood", "audit-many-log-ins", "weak-audit", "weak-crafted"]
BRIEF_TIMES = Times(quiet=0.7, attacked=1.2, after=0.4)
# An attack that misses by its time alone is played again: others use the machine, too.
BRIEF_ATTEMPTS, BRIEF_PATIENCE_SECONDS = 3, 0.5
COLUMNS = "{:<26} {:>7} {:>9} {:>7} {:>7} {:>7} {:>5} {:>6} {:>6} {:>5} {:>12} {:>6} {:>4} {:>5}  {}"
TITLES = ["", "quiet", "attacked", "ratio", "beside", "ratio", "lost", "errors", "worst", "anew", "peak, MiB", "after",
          "fds", "CPU", ""]


def read_options():
    options = argparse.ArgumentParser(prog="scripts/attack")
    options.add_argument("names", nargs="*", metavar="NAME", help="attacks, all by default")
    options.add_argument("--list", action="store_true", help="what there is, and no more")
    options.add_argument("--rounds", type=int, default=3, help="of each attack; what counts is their median")
    options.add_argument("--seconds", type=float, help="how long each attack goes on")
    options.add_argument("--brief", action="store_true", help="one short round of a part of them")
    options.add_argument("--binary", type=Path, required=True, help=argparse.SUPPRESS)
    told = options.parse_args()
    if unknown := [name for name in told.names if name not in ATTACKS]:
        options.error(f"unknown: {', '.join(unknown)}; --list says what there is")
    return told


def chosen(told):
    if told.names:
        return [ATTACKS[name] for name in told.names]
    if told.brief:
        return [ATTACKS[name] for name in BRIEF]
    return list(ATTACKS.values())


def run(attack, told):
    """Plays its rounds; of a brief one as many as it takes to tell it from the machine's noise."""
    verdict = Verdict(attack, patience_seconds=BRIEF_PATIENCE_SECONDS if told.brief else 0)
    times = BRIEF_TIMES if told.brief else Times(attacked=told.seconds or attack.seconds)
    for _ in range(BRIEF_ATTEMPTS if told.brief else told.rounds):
        verdict.rounds.append(run_round(told.binary, attack, times))
        if told.brief and (not verdict.misses_time_alone or attack.succeeds_by):
            break
    return verdict


def log(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def show(verdict):
    """Prints its row, and gives whether everything was as it must be."""
    attack, harm = verdict.attack, list(verdict.harm())
    if attack.succeeds_by:
        is_right = attack.succeeds_by in {word for word, _ in harm}
        word = f"found, as it must be: {attack.succeeds_by}" if is_right else f"NOT FOUND: {attack.succeeds_by}"
    else:
        is_right = not harm
        word = "" if is_right else "SUCCEEDS: " + ", ".join(dict.fromkeys(word for word, _ in harm))
        if is_right and verdict.takes_its_own_bound:
            word = f"within its own bound of {attack.latest_ms:g} ms"
    quiet, attacked, beside = (verdict.middle(name) * 1000 for name in ("quiet", "attacked", "beside"))
    print(COLUMNS.format(
        attack.name, f"{quiet:.2f}", f"{attacked:.2f}", f"{verdict.ratio('quiet'):.1f}", f"{beside:.2f}",
        f"{verdict.ratio('beside'):.1f}", verdict.lost, verdict.errors, f"{verdict.most('worst') * 1000:.0f}",
        verdict.anew, f"{verdict.most('peak') / MIB:.0f} of {verdict.most_bytes / MIB:.0f}",
        f"{verdict.most('left') / MIB:+.0f}",
        f"{verdict.most('descriptors'):+d}", f"{verdict.middle('processor'):.0%}", word).rstrip())
    for text in verdict.rounds[-1].notes:
        print(f"    {text}")
    for _, text in [] if is_right else harm:
        print(f"    {text}")
    if not is_right:
        did = ", ".join(f"{name} {count:,}" for name, count in verdict.rounds[-1].counts.items())
        print(f"    the attacker: {did or 'waited'}")
        for line in verdict.rounds[-1].log:
            print(f"    the gateway: {line}")
    sys.stdout.flush()
    return is_right


def main():
    told = read_options()
    if told.list:
        for attack in ATTACKS.values():
            print(f"{attack.name:<26} {attack.title}{' (brief, too)' if attack.name in BRIEF else ''}")
        return True
    raise_descriptor_limit()
    print("The honest client's p99 in milliseconds, quiet and attacked, and beside it that of who asks another\n"
          "gateway on the same machine, which nobody attacks: at most 2 times that, and 5 ms, but for a few with a\n"
          "bound of their own (proto/decisions/0060-how-attacks-are-judged.md). The first ratio is what one feels,\n"
          "the second what the gateway is to blame for. Nothing lost, no errors; memory and descriptors back.\n"
          "Where clients say who they are, the honest one is another principal. Who comes anew must get in, too: anew\n"
          "is how long that took at most.\n")
    print(COLUMNS.format(*TITLES).rstrip(), flush=True)
    missed = []
    for attack in chosen(told):
        log(attack.name)
        try:
            is_right = show(run(attack, told))
        except (Failed, OSError) as failure:
            print(f"{attack.name:<26} FAILED: {failure}", flush=True)
            is_right = False
        missed += [] if is_right else [attack.name]
    count = len(chosen(told))
    print(f"\ndetail: {count - len(missed)} of {count} attacks as they must be"
          + (f"; not: {', '.join(missed)}" if missed else ""))
    return not missed


if __name__ == "__main__":
    try:
        sys.exit(0 if main() else 1)
    except Failed as failure:
        sys.exit(f"scripts/attack: {failure}")
