#!/usr/bin/env python3
"""Plays the same sessions with many servers directly and through `lastword wrap`. Started by scripts/partners.

    python3 check.py LANGUAGES TOOLS SWIFT [NAME...]

The first two are the directories of the programs of PyPI, the third is that of the Swift toolchain; LASTWORD_BINARY
names the gateway. Prints a table, and exits 1 where anything differs. Without names, deliberate faults are tried, too.
"""
import concurrent.futures
import contextlib
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from languages import languages
from link import Trouble
from play import Play, Stage, faulty
from tools import tools, web

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "Faults"))
from share import share  # noqa: E402

# A server that does not always say the same is asked so often, each time in both ways.
MOST_PLAYS = 3
# So many in a hundred answers may be new each time.
MOST_UNSTABLE = 5
FAULT_PATIENCE_SECONDS = 10
# Sessions that are played at the same time: a server seldom works on more than one thing.
AT_ONCE = 2


def wrap(session, *options):
    return [os.path.abspath(os.environ["LASTWORD_BINARY"]), "wrap", *session.flags, *options, "--"]


class Comparison:
    """A server's plays in both ways, until each answer has been the same in both, or has been new each time."""

    def __init__(self, stage, server):
        self.server = server
        self.direct, self.wrapped = [], []
        for _ in range(MOST_PLAYS):
            self.direct.append(Play(stage, server, []))
            self.wrapped.append(Play(stage, server, wrap(server.session)))
            if not self.differing():
                break
        self.judge()

    def differing(self):
        questions = {question for play in self.direct + self.wrapped for question in play.answers}
        return sorted(question for question in questions
                      if not self.given(self.direct, question) & self.given(self.wrapped, question))

    def given(self, plays, question):
        return {play.answers.get(question) for play in plays}

    def judge(self):
        """Tells apart what differs and what the server itself says otherwise each time."""
        self.unstable = [question for question in self.differing()
                         if len(self.given(self.direct, question)) == MOST_PLAYS]
        different = [question for question in self.differing() if question not in self.unstable]
        self.asked = len(self.direct[0].answers) - len(self.unstable)
        if different or len(self.unstable) * 100 > MOST_UNSTABLE * self.asked:
            question = (different or self.unstable)[0]
            directly, wrapped = self.direct[0].answers.get(question), self.wrapped[0].answers.get(question)
            raise Trouble(f"{len(different) or len(self.unstable)} of {self.asked} answers differ; to {question}:\n"
                          f"  directly         {excerpt(directly, wrapped)}\n"
                          f"  through lastword {excerpt(wrapped, directly)}")
        statuses = {play.status for play in self.direct + self.wrapped}
        if len(statuses) > 1:
            raise Trouble(f"the status is one of {statuses}")

    def version(self):
        """That of the package, or what the server says of itself."""
        packages = pathlib.Path(self.server.command[0]).parent.parent.glob("lib/python3*/site-packages/*.dist-info")
        found = dict(package.stem.rsplit("-", 1) for package in packages)
        told = self.direct[0].version
        if self.server.tells_version:
            told = subprocess.run(self.server.tells_version, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True).stdout
        return found.get(self.server.name.replace("-", "_")) or short(told)

    def row(self):
        direct, wrapped = self.direct[-1].counts, self.wrapped[-1].counts
        given_up = direct["cancelled"] - direct["kept"]
        profits = wrapped["stale"] < direct["stale"] or wrapped["computed"] < direct["computed"]
        return [self.server.name, self.version(), f"{self.asked}/{self.asked}", direct["requests"],
                direct["computed"], wrapped["computed"], direct["stale"], wrapped["stale"],
                f"{given_up} of {direct['cancelled']}", "yes" if profits else "no"]


HEAD = ["server", "version", "stable answers equal", "requests", "computed directly", "through lastword",
        "stale directly", "through lastword", "cancelled by itself", "profits"]


def short(version):
    found = re.search(r"\d[\w.+-]*", version)
    return found[0] if found else "–"


def excerpt(text, other):
    """What stands around the first letter that differs."""
    text, other = text or "nothing", other or "nothing"
    place = next((place for place, (one, two) in enumerate(zip(text, other)) if one != two), min(len(text), len(other)))
    return f"…{text[max(0, place - 100):place + 100]}…"


def tabulated(rows):
    print("| " + " | ".join(HEAD) + " |")
    print("|---|---|" + "--:|" * 7 + "---|")
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")


def compare_one(stages, server):
    with stages(server) as stage:
        return Comparison(stage, server)


def compare(stages, servers):
    """The comparisons that found nothing; what is wrong with the others is printed."""
    sound, faulted = [], 0
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        futures = [pool.submit(compare_one, stages, server) for server in servers]
        for server, future in zip(servers, futures):
            try:
                comparison = future.result()
            except Trouble as error:
                faulted += 1
                print(f"error: {server.name}: {error}", flush=True)
                continue
            sound.append(comparison)
            print(", ".join(f"{name}: {value}" for name, value in zip(HEAD, comparison.row())), flush=True)
            for question in comparison.unstable:
                print(f"   new each time: {question}", flush=True)
    return sound, faulted


# MARK: Deliberate faults

# Where: before the gateway, behind it, or between the recorder and the server. Behind how many edits. What is then
# said.
BEFORE, BEHIND, AT_SERVER = "before", "behind", "at the server"
TYPING, CANCELLING, AT_REST = 1, 33, 60
OF_LANGUAGES = [
    ("RequestBehindEdit", BEHIND, CANCELLING, "hears what was not asked there"),
    ("NotificationLost", BEHIND, CANCELLING, "belongs"),
    ("NotificationTwice", BEHIND, CANCELLING, "belongs"),
    ("QuestionChanged", BEHIND, CANCELLING, "hears what was not asked there"),
    ("WantedCancelled", BEHIND, AT_REST, "still wanted"),
    ("AnswerChanged", BEHIND, 0, "which the server did not give"),
    ("AnswerChanged", AT_SERVER, 0, "answers differ"),
    ("AnswerLost", BEFORE, 0, "no answer to request"),
    ("AnswerTwice", BEFORE, 0, "has two answers"),
    ("RefusedWithoutReason", BEFORE, 0, "is superseded by nothing"),
    ("AnotherStatus", BEFORE, 0, "the status is 3"),
    ("Talk", BEFORE, 0, "standard error"),
    ("NothingSuperseded", None, 0, "though a newer one superseded it"),
]
# The server of the others says nothing unasked.
OF_TALKERS = [
    ("ReplyLost", BEHIND, 0, "the server hears no answer"),
    ("NoteLost", BEFORE, TYPING, "belongs"),
    ("NoteDelayed", BEFORE, TYPING, "belongs|out of the server's order"),
]
OF_TOOLS = [
    ("AnswerChanged", BEHIND, 0, "which the server did not give"),
    ("AnswerTwice", BEFORE, 0, "has two answers"),
    ("RefusedWithoutReason", BEFORE, 0, "is superseded by nothing"),
    ("NoteLost", BEFORE, 0, "no progress"),
]
CONCURRENT = """\
[[route]]
method = "textDocument/completion"
key = "/textDocument/uri"
policy = "concurrent"
"""


def play_with_fault(stage, server, fault, where, letters, directly):
    words = faulty(fault, server.session.wire, letters)
    gateway = wrap(server.session)
    if where == BEFORE:
        gateway = words + gateway
    elif where == BEHIND:
        gateway += words
    elif where == AT_SERVER:
        server = dataclasses.replace(server, command=words + server.command)
    else:
        configuration = stage.home / "lastword.toml"
        configuration.write_text(CONCURRENT)
        gateway = wrap(server.session, "--config", str(configuration))
    played = Play(stage, server, gateway, FAULT_PATIENCE_SECONDS)
    if played.answers != directly.answers:
        raise Trouble("answers differ")


def try_faults(stages, tried):
    """Each must be found, in the words that belong to it; gives how many were."""
    direct = {}
    for server, (fault, where, letters, words) in tried:
        with stages(server) as stage:
            if server.name not in direct:
                direct[server.name] = Play(stage, server, [])
            # The same directory as before: its path is in answers.
            try:
                play_with_fault(stage, server, fault, where, letters, direct[server.name])
                found = "nothing"
            except Trouble as error:
                found = str(error)
        if not re.search(words, found):
            raise Trouble(f"fault {fault} {where}: {found[:1000]}, not {words!r}")
        print(f"-- found: {fault} {where or ''}: {found.splitlines()[0][:200]}", flush=True)
    return len(tried)


def main(languages_at, tools_at, swift, *names):
    with contextlib.ExitStack() as stack:
        base = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory())).resolve()

        @contextlib.contextmanager
        def stages(server):
            directory = base / server.name
            directory.mkdir(exist_ok=True)
            yield Stage(directory, languages_at if server in of_languages else tools_at)

        of_languages = languages(languages_at, swift)
        of_tools = tools(tools_at, stack.enter_context(web()))
        wanted = [[server for server in servers if not names or server.name in names]
                  for servers in (of_languages, of_tools)]
        compared = [compare(stages, servers) for servers in wanted]
        rows = [comparison.row() for sound, _ in compared for comparison in sound]
        tabulated(rows)
        faulted = sum(count for _, count in compared)
        stale = [sum(row[place] for row in rows) for place in (6, 7)]
        if stale[1] > stale[0]:
            faulted += 1
            print(f"error: {stale[1]} stale answers through lastword, {stale[0]} directly")
        if faulted:
            return 1
        found = 0
        if not names:
            quick = {server.name: server for server in of_languages + of_tools}
            found = try_faults(stages, share([(quick["zuban"], fault) for fault in OF_LANGUAGES]
                                             + [(quick["pyrefly"], fault) for fault in OF_TALKERS]
                                             + [(quick["mcp"], fault) for fault in OF_TOOLS]))
        print(f"detail: {len(wanted[0])} language servers, {len(wanted[1])} MCP servers, "
              f"{sum(comparison.asked for sound, _ in compared for comparison in sound)} stable answers equal, "
              f"stale {stale[0]} directly and {stale[1]} through lastword, {found} deliberate faults found")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except Trouble as error:
        sys.exit(f"error: {error}")
