"""Puts every fault of mutants.txt into a copy of the sources, each behind a switch: mutants.txt ROOT.

A fault is anchored at a declaration of a module (a function, a property, a type), wherever that stands, and at words in
it, however they are broken into lines: so it survives that code is moved and formatted.
"""
import pathlib
import re
import sys


class Hunk:
    def __init__(self, fault, module, name):
        self.fault, self.module, self.name, self.old, self.new = fault, module, name, [], []

    @property
    def anchor(self):
        return f"{self.module} {self.name}"


def read(text):
    """The titles of the faults, and the hunks of all of them."""
    titles, hunks = [], []
    for line in text.splitlines():
        if line.startswith("== "):
            titles.append(line[3:])
        elif line.startswith("in "):
            hunks.append(Hunk(len(titles), *line[3:].split(" ", 1)))
        elif line.startswith("- "):
            hunks[-1].old.append(line[2:].strip())
        elif line.startswith("+ "):
            hunks[-1].new.append(line[2:])
        elif line.strip() and not line.startswith("#"):
            sys.exit(f"mutants.txt: neither a title, an anchor, nor a line of one: {line}")
    return titles, hunks


DECLARATION = re.compile(
    r"^( *)(?:@\w+(?:\([^)]*\))? )*(?:(?:package|public|private|fileprivate|internal|static|mutating|consuming|final"
    r"|indirect|private\(set\)|package private\(set\)|fileprivate\(set\)|package internal\(set\)) )*"
    r"(?:(?:func|var|let|struct|class|enum|extension|protocol) ([\w.]+|[^\w\s(<]+)|(init|subscript|deinit)\b)")


def declarations(text):
    """The name of each declaration, and where it begins and ends."""
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    for number, line in enumerate(lines):
        if found := DECLARATION.match(line):
            yield found[2] or found[3], starts[number], starts[end_of(found[1], lines, number + 1)]


def end_of(indentation, lines, end):
    """Behind the last line of a declaration: what belongs to it is further in, or closes what was opened."""
    while end < len(lines):
        line = lines[end]
        closes = re.match(re.escape(indentation) + r"[)}\]]", line)
        if line.strip() and not line.startswith(indentation + " ") and not closes:
            break
        end += 1
        if closes and not re.search(r"[({\[]\s*$", line):
            break
    return end


def pattern(words):
    """Finds these words whatever is between them but words."""
    return re.compile(r"\s*".join(re.escape(token) for token in re.findall(r"\w+|[^\w\s]", words)))


class Module:
    """The sources of one module, and the declarations of each file."""

    def __init__(self, directory):
        self.directory, self.texts, self.declarations = directory, {}, {}
        for path in sorted(directory.rglob("*.swift")):
            self.take(path, path.read_text())

    def take(self, path, text):
        self.texts[path], self.declarations[path] = text, list(declarations(text))

    def place(self, hunk):
        """Where a hunk's words stand, which must be one place."""
        words, found = pattern("\n".join(hunk.old)), set()
        for path, text in self.texts.items():
            for name, start, end in self.declarations[path]:
                if name == hunk.name:
                    found |= {(path, *match.span()) for match in words.finditer(text, start, end)}
        if len(found) != 1:
            sys.exit(f"{hunk.anchor}: fault {hunk.fault} fits {len(found)} places: {hunk.old[0]}")
        return found.pop()

    def switch(self, hunk):
        """What one fault has put in another may replace, too."""
        path, start, end = self.place(hunk)
        text = self.texts[path]
        line = text.rfind("\n", 0, start) + 1
        indentation = re.match(" *", text[line:])[0]
        self.take(path, text[:start] + switched(hunk, indentation) + text[end:])

    def write(self):
        for path, text in self.texts.items():
            path.write_text(text)
        (self.directory / "ActiveMutant.swift").write_text(SWITCH)


def switched(hunk, indentation):
    return f"\n{indentation}".join(hunk.new).replace("‹on›", f"(activeMutant == {hunk.fault})")


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
    modules = {}
    for hunk in hunks:
        if hunk.module not in modules:
            modules[hunk.module] = Module(root / "Sources" / hunk.module)
        modules[hunk.module].switch(hunk)
    for module in modules.values():
        module.write()
    print("\n".join(titles))


if __name__ == "__main__":
    main()
