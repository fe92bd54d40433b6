#!/usr/bin/env python3
"""Runs a gateway and lets its caller hear -32080 where it says -32801, as if it did not know editors.

    python3 loud.py COMMAND...
"""
import os
import subprocess
import sys


def main(*command):
    with subprocess.Popen(command, stdout=subprocess.PIPE) as gateway:
        while data := os.read(gateway.stdout.fileno(), 65536):
            os.write(1, data.replace(b"-32801", b"-32080"))
    return gateway.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
