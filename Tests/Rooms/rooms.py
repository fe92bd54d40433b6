#!/usr/bin/env python3
"""Checks that the state of each machine of the core is named in its own folder only.

Swift can keep state private to a file, not to the files of one type. So this does: whatever is declared as a stored
property in Edge.swift, Lanes.swift, Upstream.swift or Peers.swift belongs to that machine. Others use its functions, and of its state
only what is its face, listed here.

It also checks that no folder of sources or tests has more files than one looks through at a glance, and that a type
stands in the file that is named after it: see `strangers`.
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
# What stands in another type's file is short, and hardly anybody else looks for it.
STRANGER_LINES, STRANGER_FILES = 12, 2
TYPE = re.compile(r"^(?:@\w+(?:\([^)]*\))? )*((?:\w+ )*?)(?:class|struct|enum|protocol|actor) (\w+)")
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


def types(lines):
    """Each type of a file that others may name, and how many lines it has."""
    for start, line in enumerate(lines):
        if (found := TYPE.match(line)) and "private" not in found[1]:
            end = start
            while line.count("{") != line.count("}") and not lines[end].startswith("}"):
                end += 1
            yield found[2], end - start + 1


def strangers():
    """Types that stand in no file of their own, which is called as they are, or so and "+Something".

    Such a file may have one type more, of a dozen lines, that no more than two other files name; and as many as share
    what is `fileprivate`. A file of extensions ("Type+Something") has none.
    """
    sources = {path: path.read_text().splitlines() for path in sorted((TOP / "Sources").rglob("*.swift"))}
    words = {path: {word for line in lines for word in re.findall(r"\b[A-Z]\w*", code(line))}
             for path, lines in sources.items()}
    for path, lines in sources.items():
        module = TOP / "Sources" / path.relative_to(TOP / "Sources").parts[0]
        found = list(types(lines))
        others = [(name, count) for name, count in found
                  if path.stem.split("+")[0] != name and not any(module.rglob(f"{name}.swift"))]
        has_own = any(name == path.stem for name, _ in found)
        if has_own and any("fileprivate" in line for line in lines):
            continue
        for name, count in others:
            named = sum(name in known for known in words.values()) - 1
            if not has_own or len(others) > 1 or count > STRANGER_LINES or named > STRANGER_FILES:
                yield f"{path.relative_to(TOP)}: {name} wants a file of its own: {count} lines, named in {named} others"


def main():
    faults = [*full_folders(), *strangers()]
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
