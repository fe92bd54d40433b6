#!/usr/bin/env python3
"""Says how smoothly the live page draws while the gateway is busy. Started by scripts/page --load.

    python3 smooth.py URL SECONDS DIRECTORY
"""
import re
import sys
import time
import urllib.request

from browser import Browser

STATE = "({...lastword.frames, merged: lastword.merged(), ...lastword.counts()})"
NAMES = "lastword_live_events_sent_total", "lastword_live_events_merged_total"
WARM_UP_SECONDS = 4


def told(url):
    """Events that the gateway has told the page, and those that found no place."""
    with urllib.request.urlopen(f"{url}metrics", timeout=30) as answer:
        text = answer.read(1 << 20).decode()
    return [int(re.search(rf"^{name} (\d+)$", text, re.MULTILINE)[1]) for name in NAMES]


def main(url, seconds, directory):
    browser = Browser(url, directory)
    try:
        browser.wait_for("some frames are drawn", "lastword.frames.drawn > 20")
        # What it is measured over, nothing waits for.
        time.sleep(WARM_UP_SECONDS)
        before, told_before, begun = browser.ask(STATE), told(url), time.monotonic()
        time.sleep(seconds)
        after, told_after, took = browser.ask(STATE), told(url), time.monotonic() - begun
        browser.screenshot("load.png")
    finally:
        browser.close()
    frames = after["drawn"] - before["drawn"]
    requests = (after["admitted"] - before["admitted"]) / took
    sent, merged = (now - then for now, then in zip(told_after, told_before))
    print(f"{requests:,.0f} requests/s on 200 keys; {frames / took:.0f} frames/s, "
          f"{(after['sum'] - before['sum']) / max(frames, 1):.1f} ms to draw one, the slowest {after['slowest']:.0f} ms")
    print(f"events: {sent / took:,.0f}/s told, {merged:,} merged by the gateway, "
          f"{after['merged'] - before['merged']:,} merged by the page")


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), sys.argv[3])
