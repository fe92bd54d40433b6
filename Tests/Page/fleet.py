#!/usr/bin/env python3
"""Holds the live page of a gateway that is a member of a fleet in a browser. Started by scripts/page.

    python3 fleet.py URL DIRECTORY

Of what members tell the page is given here: a fleet with an etcd is the matter of FleetGatewayTests.
"""
import sys

from browser import Browser, expect

ROWS = ("[...document.querySelectorAll('#fleetrows tr')].filter(row => !row.hidden)"
        ".map(row => [...row.children].map(cell => cell.textContent))")
MARKUP = "<img src=x onerror=noteError(1)>"


def show(browser, look, **status):
    """What is there when the page has heard of a fleet."""
    return browser.driver.execute_script(f"fleet.show(arguments[0]); return {look};", status)


def member(letter, partitions, **others):
    return {"member": letter * 32, "address": f"{letter}:5280", "partitions": partitions, "leaving": 0, "self": 0, **others}


WELL = {"fleet": "search", "standing": "member", "notReady": "", "links": 2, "linksUp": 2, "parkedRequests": 0,
        "unowned": 0, "declaredDead": 0, "asking": 2, "differing": 0, "forwarded": 12, "epoch": 7}


def main(url, directory):
    browser = Browser(url, directory)
    try:
        browser.wait_for("the page has heard of what is counted", "'admitted' in lastword.counts()")
        expect(not browser.find("#fleet").is_displayed(), "who is in no fleet shows none")
        three = [member("a", 86, self=1), member("b", 85), member("c", 85, leaving=1)]
        expect(show(browser, ROWS, **WELL, members=three) == [
            ["aaaaaaaa", "a:5280", "86", "this one"], ["bbbbbbbb", "b:5280", "85", ""],
            ["cccccccc", "c:5280", "85", "leaving"]], "who has what")
        browser.screenshot("fleet.png")
        said = "document.getElementById('fleetsaid').textContent"
        expect(show(browser, said, **WELL, members=three)
               == "this one is member · 2 of 2 connections to others · 2 from others' loops · 12 requests passed on"
               " · highest epoch 7 · 0 requests wait for a member", "what stands")
        ill = {**WELL, "notReady": MARKUP, "linksUp": 1, "parkedRequests": 1_234, "unowned": 3, "declaredDead": 2,
               "asking": 4, "differing": 1, "forwarded": 56_789}
        expect(show(browser, said, **ill, members=three[:1])
               == f"{MARKUP} · 1 of 2 connections to others · 4 from others' loops · 1 of those had another configuration"
               " · 56,789 requests passed on · highest epoch 7 · 1,234 requests wait for a member"
               " · nobody has 3 partitions · declared dead 2 times", "what does not stand")
        expect(len(browser.ask(ROWS)) == 1, "who has gone is not shown")
        expect(browser.ask("document.querySelectorAll('#fleet img').length") == 0, "nothing is markup")
        expect(browser.ask("lastword.errors") == [], f"the page had errors: {browser.ask('lastword.errors')}")
        expect(browser.complaints() == [], "the browser complained")
    finally:
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
