#!/usr/bin/env python3
"""Holds the live page of a gateway whose upstream nobody reaches in a browser. Started by scripts/page.

    python3 unreached.py URL DIRECTORY
"""
import sys

from browser import Browser


def main(url, directory):
    browser = Browser(url, directory)
    try:
        browser.wait("the page says so", lambda: "out of reach" in browser.find("#alarm").text)
        if "main" not in browser.find("#alarm").text:
            raise AssertionError("the page does not say which upstream that is")
        browser.screenshot("unreached.png")
    finally:
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
