#!/usr/bin/env python3
"""Holds a handler of examples/upstreams against what its README.md says. Started by scripts/upstreams.

    python3 handlers.py WORDS...

WORDS start the handler; options are put behind them. LASTWORD_BINARY names the gateway.
"""
import sys

import answering
import bearing
import behind
import cancelling
import ending
from scene import Handler
from typeahead import run


def main(*words):
    Handler.words = words
    run(*answering.CHECKS, *cancelling.CHECKS, *bearing.CHECKS, *ending.CHECKS, *behind.CHECKS)


if __name__ == "__main__":
    main(*sys.argv[1:])
