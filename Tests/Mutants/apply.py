"""Puts every fault of mutants.txt into a copy of the sources, each behind a switch: mutants.txt ROOT."""
import pathlib
import sys


class Hunk:
    def __init__(self, fault, path):
        self.fault, self.path, self.old, self.new = fault, path, [], []


def read(text):
    """The titles of the faults, and the hunks of all of them."""
    titles, hunks = [], []
    for line in text.splitlines():
        if line.startswith("== "):
            titles.append(line[3:])
        elif line.startswith("in "):
            hunks.append(Hunk(len(titles), line[3:]))
        elif line.startswith("- "):
            hunks[-1].old.append(line[2:].strip())
        elif line.startswith("+ "):
            hunks[-1].new.append(line[2:])
        elif line.strip() and not line.startswith("#"):
            sys.exit(f"mutants.txt: neither a title, a file, nor a line of one: {line}")
    return titles, hunks


def place(lines, hunk):
    """Where a hunk's old lines stand, which must be one place."""
    stripped = [line.strip() for line in lines]
    count = len(hunk.old)
    places = [start for start in range(len(lines)) if stripped[start : start + count] == hunk.old]
    if len(places) != 1:
        sys.exit(f"{hunk.path}: fault {hunk.fault} fits {len(places)} places: {hunk.old[0]}")
    return places[0]


def switched(hunk):
    return [line.replace("‹on›", f"(activeMutant == {hunk.fault})") for line in hunk.new]


SWITCH = """import Glibc

/// The fault that is switched on; 0: none.
@usableFromInline let activeMutant: Int = {
  guard let text = unsafe getenv("LASTWORD_MUTANT") else { return 0 }
  return unsafe Int(String(cString: text)) ?? 0
}()
"""


def main():
    list_path, root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    titles, hunks = read(list_path.read_text())
    files = {}
    for hunk in hunks:
        lines = files.setdefault(hunk.path, (root / hunk.path).read_text().splitlines())
        start = place(lines, hunk)
        lines[start : start + len(hunk.old)] = switched(hunk)
    for path, lines in files.items():
        (root / path).write_text("\n".join(lines) + "\n")
    # Modules are the folders of Sources; what is in a folder of a module belongs to that.
    for module in {pathlib.Path(*pathlib.Path(path).parts[:2]) for path in files}:
        (root / module / "ActiveMutant.swift").write_text(SWITCH)
    print("\n".join(titles))


main()
