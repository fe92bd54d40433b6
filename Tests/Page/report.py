#!/usr/bin/env python3
"""Holds the page of a load report in a browser against the numbers of the same run. Started by scripts/page.

    python3 report.py REPORT.html REPORT.json DIRECTORY

DIRECTORY is where the screenshots go. CHROMIUM and CHROMEDRIVER name the programs.
"""
import json
import pathlib
import sys

from browser import Browser
from check import check_quiet_console, expect

WIDTH, HEIGHT = 1180, 545
HEADLINE = ("Object.fromEntries([...document.querySelectorAll('.headline dt')]"
            ".map(name => [name.textContent, name.nextElementSibling.textContent]))")
# Curves that are drawn, and not a line along the bottom.
CURVES = ("[...document.querySelectorAll('.plots svg')].map(plot => Math.max(0, ...[...plot.querySelectorAll("
          "'path, polyline, polygon')].map(curve => curve.getBBox().height)))")


def check_numbers(browser, measured):
    shown = browser.ask(HEADLINE)
    replies = sum(measured[name] for name in ("results", "superseded", "cancelled"))
    expect(shown["superseded"] == f"{100 * measured['superseded'] / replies:.1f} %",
           f"superseded is {shown['superseded']}, the run had {measured['superseded']} of {replies}")
    rate = replies / (measured["elapsedNanoseconds"] / 1e9)
    expect(shown["replies"] == f"{rate:,.0f}/s", f"replies are {shown['replies']}, the run had {rate:,.0f}/s")
    expect(shown["errors"] == "0 %" and measured["errors"] == [], f"errors are {shown['errors']}")
    expect(shown["checks"] == "right" and measured["violationCount"] == 0, f"checks are {shown['checks']}")


def main(page, numbers, directory):
    measured = json.loads(pathlib.Path(numbers).read_text())
    browser = Browser(pathlib.Path(page).resolve().as_uri(), directory, WIDTH, HEIGHT)
    try:
        check_numbers(browser, measured)
        heights = browser.ask(CURVES)
        expect(len(heights) >= 4 and min(heights) > 10, f"the curves are {heights} high")
        loaded = browser.ask("performance.getEntriesByType('resource').map(entry => entry.name)")
        expect(loaded == [], f"the page is not all there is: it loads {loaded}")
        grounds = set()
        for scheme in ("dark", "light"):
            browser.scheme(scheme)
            grounds.add(browser.ask("getComputedStyle(document.body).backgroundColor"))
            browser.screenshot(f"report-{scheme}.png")
        expect(len(grounds) == 2, "the schemes differ")
        check_quiet_console(browser)
        print(f"load report: {len(heights)} plots, its numbers are the run's")
    finally:
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
