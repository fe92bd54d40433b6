#!/usr/bin/env python3
"""Checks that the state of each machine of the core is named in its own folder only.

Swift can keep state private to a file, not to the files of one type. So this does: whatever is declared as a stored
property in Edge.swift, Lanes.swift, Upstream.swift or Peers.swift belongs to that machine. Others use its functions, and of its state
only what is its face, listed here.

It also checks that no folder of sources or tests has more files than one looks through at a glance.
"""
import pathlib
import re
import sys
from collections import Counter

TOP = pathlib.Path(__file__).resolve().parents[2]
CORE = TOP / "Sources/GatewayCore"
# By the name under which the core has a machine: its folder, and what others may name.
MACHINES = {
    "edge": ("Edge", {"connectionsElsewhere", "counters", "logInFaults", "nowMilliseconds"}),
    # What was decided and is to be carried out; what is noted; and, lent to be written, what a task asks.
    "lanes": ("Lanes", {"counters", "effects", "journal", "payloads", "requests", "traces"}),
    "peers": ("Peers", {"loop", "openCount"}),
    "upstreams": ("Upstream", {"counters", "nowMilliseconds", "refusedPlace", "times"}),
}
# What conducts them has room for no more: the whole's state and life, and one kind of event or effect (decision 0058).
CORE_LINES, CONDUCTING_LINES = 200, 400
FOLDER_FILES = 25
STORED = re.compile(r"^  (?:let|var) (\w+)(?!.*\{)", re.M)


def code(line):
    return re.sub(r"(^|\s)//.*", "", line)


def full_folders():
    """Those with more files than a folder may have. What a build or a run leaves behind is in hidden folders, or bytecode."""
    files = [path for top in ("Sources", "Tests") for path in (TOP / top).rglob("*") if path.is_file()]
    seen = (path.relative_to(TOP) for path in files if path.suffix != ".pyc")
    counts = Counter(path.parent for path in seen if not any(part.startswith(".") for part in path.parts))
    return [f"{folder}: {count} files are more than {FOLDER_FILES}"
            for folder, count in sorted(counts.items()) if count > FOLDER_FILES]


def main():
    faults = full_folders()
    for name, (folder, face) in MACHINES.items():
        state = set(STORED.findall((CORE / folder / f"{folder}.swift").read_text()))
        if not state >= face:
            faults.append(f"{folder}: its face has what it has not: {', '.join(sorted(face - state))}")
        use = re.compile(rf"(?<![\w.]){name}\.({'|'.join(sorted(state - face))})\b(?!\()")
        for path in sorted(CORE.rglob("*.swift")):
            if path.is_relative_to(CORE / folder):
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                faults += [f"{path.relative_to(CORE)}:{number}: {found[0]} is {folder}'s own"
                           for found in use.finditer(code(line))]
    # None of them knows another.
    for name, (folder, _) in MACHINES.items():
        others = "|".join(other for other in MACHINES if other != name)
        for path in sorted((CORE / folder).rglob("*.swift")):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if re.search(rf"(?<![\w.])(?:{others})\.\w", code(line)):
                    faults.append(f"{path.relative_to(CORE)}:{number}: {folder} reaches for another machine")
    bounds = {CORE / "GatewayCore.swift": CORE_LINES}
    bounds |= {path: CONDUCTING_LINES for path in sorted((CORE / "Conducting").rglob("*.swift"))}
    for path, bound in bounds.items():
        count = len(path.read_text().splitlines())
        if count > bound:
            faults.append(f"{path.relative_to(CORE)}: {count} lines are more than {bound}")
    # Nobody else names two of them.
    for path in sorted(CORE.rglob("*.swift")):
        if path.is_relative_to(CORE / "Conducting") or path.name == "GatewayCore.swift":
            continue
        named = {name for name in MACHINES for line in path.read_text().splitlines()
                 if re.search(rf"(?<![\w.]){name}\.\w", code(line))}
        if len(named) > 1:
            faults.append(f"{path.relative_to(CORE)}: names {' and '.join(sorted(named))}")
    for fault in faults:
        print(f"error: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
