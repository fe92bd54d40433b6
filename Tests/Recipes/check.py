#!/usr/bin/env python3
"""Follows recipes of examples/recipes, and shows that the checks find faults. Started by scripts/recipes.

    python3 check.py NAME...

LASTWORD_BINARY names the gateway. The last line says how many faults were found.
"""
import importlib
import sys


# One whose own name is taken by the package that it checks with.
MODULES = {"mcp": "mcp_server"}


def main(names):
    found = 0
    for name in names:
        module = importlib.import_module(MODULES.get(name, name.replace("-", "_")))
        print(f"== {name}", flush=True)
        module.check()
        found += module.faults()
    print(found)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except AssertionError as error:
        sys.exit(f"error: {error}")
