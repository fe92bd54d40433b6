#!/usr/bin/env python3
"""Checks that what THREATS.md names as showing something is there: files of tests, attacks, targets of the fuzzers."""
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
TESTS = re.compile(r"`(\w+Tests)`")
ATTACK = re.compile(r"`([a-z]+(?:-[a-z0-9]+)+|waiters|payloads|connects|typos|reloads)`")
FUZZED = re.compile(r"fuzz targets? ((?:`\w+`(?:, | and )?)+)")


def attacks():
    listed = subprocess.run([TOP / "scripts/attack", "--list"], capture_output=True, text=True, check=True)
    return {line.split()[0] for line in listed.stdout.splitlines() if line.strip()}


def missing(text):
    tests = {path.stem for path in (TOP / "Tests").rglob("*.swift")}
    fuzzed = set(re.findall(r"case (\w+)$", (TOP / "Tests/Fuzz/Targets/FuzzTarget.swift").read_text(), re.MULTILINE))
    yield from (f"no test file {name}.swift" for name in TESTS.findall(text) if name not in tests)
    known = attacks()
    yield from (f"no attack {name}" for name in ATTACK.findall(text) if name not in known)
    named = [name for found in FUZZED.findall(text) for name in re.findall(r"`(\w+)`", found)]
    yield from (f"no fuzz target {name}" for name in named if name not in fuzzed)


def main():
    text = (TOP / "THREATS.md").read_text()
    wrong = sorted(set(missing(text)))
    for line in wrong:
        print(f"THREATS.md: error: {line}")
    print(f"detail: {len(set(TESTS.findall(text)))} test files and {len(set(ATTACK.findall(text)))} attacks are named")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
