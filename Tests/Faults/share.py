#!/usr/bin/env python3
"""Which of the deliberate faults are tried: all, or, where the environment says so, a share that moves on with each commit.

    LASTWORD_FAULT_SHARE=4 python3 share.py COUNT     prints the numbers of every fourth of so many, from 1 on
"""
import os
import pathlib
import subprocess
import sys


def share(faults):
    parts = int(os.environ.get("LASTWORD_FAULT_SHARE", "1"))
    if parts < 1:
        sys.exit("error: LASTWORD_FAULT_SHARE is no number from 1 on")
    chosen = faults[commits() % parts::parts]
    # Of a few there may be none in a share.
    return chosen or faults[:1]


def commits():
    """How many there are; where there is no history, 0."""
    counted = subprocess.run(["git", "rev-list", "--count", "HEAD"], cwd=pathlib.Path(__file__).parent, text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return int(counted.stdout) if counted.returncode == 0 else 0


if __name__ == "__main__":
    print(*share(range(1, int(sys.argv[1]) + 1)), sep="\n")
