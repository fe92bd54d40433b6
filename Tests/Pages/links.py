#!/usr/bin/env python3
"""Follows every link between the pages of this repository, from its top, and weighs the first of them.

    python3 Tests/Pages/links.py

Files, directories and headings that are linked must be there, each page must be found from README.md, and that must
not be longer than can be read in one go: 12 KiB.
Prints what is wrong, a line each, and exits 1; addresses elsewhere are not asked for.
"""
import collections
import pathlib
import re
import subprocess
import sys

FENCE = re.compile(r"^(```|~~~).*?^\1[^\S\n]*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)|(?:src|srcset|href)=\"([^\"]*)\"")
HEADING = re.compile(r"^#{1,6} +(.*?) *#*$", re.MULTILINE)
SKIPPED_STATUS = 77
FIRST, FIRST_BYTES = "README.md", 12 * 1024
ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:")


def anchors(text):
    """As code hosts make them: lower case, no punctuation, a hyphen for each space, numbered when they repeat."""
    seen, found = collections.Counter(), set()
    for heading in HEADING.findall(FENCE.sub("", text)):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")
        found.add(f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor)
        seen[anchor] += 1
    return found


def links(text):
    """What stands in code is shown, not linked; but a link's own words may be code."""
    text = FENCE.sub("", text)
    return [target or other for target, other in LINK.findall(CODE.sub("code", text))]


class Pages:
    def __init__(self, top):
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=top,
                                check=True, capture_output=True, text=True).stdout.split("\0")
        files = [pathlib.PurePosixPath(name) for name in listed if name and (top / name).exists()]
        self.places = {str(place) for name in files for place in (name, *name.parents)}
        self.texts = {str(name): (top / name).read_text() for name in files if name.suffix == ".md"}
        self.anchors = {name: anchors(text) for name, text in self.texts.items()}

    def resolve(self, page, target):
        """The file that a link leads to, and what is wrong with the link."""
        path, _, anchor = target.partition("#")
        place = page
        if path:
            parts = []
            for part in (*pathlib.PurePosixPath(page).parent.parts, *pathlib.PurePosixPath(path).parts):
                if part == ".." and not parts:
                    return None, "leads out of the repository"
                parts.pop() if part == ".." else parts.append(part)
            place = "/".join(parts) or "."
        if place not in self.places:
            return None, "leads nowhere"
        if anchor and anchor not in self.anchors.get(place, ()):
            return place, "names a heading that is not there"
        return place, None

    def weigh(self):
        """What is wrong with the size of the first page."""
        size = len(self.texts[FIRST].encode())
        if size <= FIRST_BYTES:
            return []
        return [f"{FIRST}: error: {size:,} bytes, and it may have {FIRST_BYTES:,}: move {size - FIRST_BYTES:,} to docs/"]

    def check(self, first=FIRST):
        wrong, reached, waiting = [], {first}, [first]
        while waiting:
            page = waiting.pop()
            for target in links(self.texts[page]):
                if ELSEWHERE.match(target):
                    continue
                place, complaint = self.resolve(page, target)
                if complaint:
                    wrong.append(f"{page}: error: ({target}) {complaint}")
                # A directory shows its page.
                for found in (place, f"{place}/README.md"):
                    if found in self.texts and found not in reached:
                        reached.add(found)
                        waiting.append(found)
        return wrong, reached


def main():
    if subprocess.run(["git", "rev-parse"], capture_output=True).returncode != 0:
        print("detail: which pages there are, only git knows")
        return SKIPPED_STATUS
    pages = Pages(pathlib.Path(__file__).resolve().parents[2])
    wrong, reached = pages.check()
    # A catalogue of documentation has links of its own kind.
    lost = [name for name in pages.texts if name not in reached and ".docc/" not in name]
    wrong += [f"{name}: error: no page leads here from README.md" for name in lost]
    wrong += pages.weigh()
    print("\n".join(sorted(wrong)), end="\n" if wrong else "")
    print(f"detail: {len(reached)} pages")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
