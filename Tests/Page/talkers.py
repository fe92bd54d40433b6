#!/usr/bin/env python3
"""Holds the live page of a gateway that asks who comes in a browser. Started by scripts/page.

    python3 talkers.py configuration
    python3 talkers.py URL HOST:PORT DIRECTORY

The first prints the gateway's configuration.
"""
import hashlib
import sys

from browser import WINDOW, Browser
from caller import Caller
from origins import SCRIPT, TAB, check_origins

IDLE = ("idle-1", "idle-2")
BUSY = ("typist@example.org", "reports", "n" * 64, "ben", "cyd", "dot", "eve", "fox")
SHOWN, QUOTA_TASKS = 8, 3
OVERLOADED = -32082
LONG = {"ms": 60_000}
SHAPES = {"dark": (1280, 600), "light": (1280, 600), "narrow": (360, 740), "middle": (600, 740)}
CELLS = ("[...document.querySelectorAll('#talkersrows tr')].filter(row => !row.hidden)"
         ".map(row => [...row.children].map(cell => cell.textContent))")
# Shown and looked at at once: the next statistics are half a second away.
SHOW = "(samples => {{ talkers.show(samples); return {look}; }})({samples})"
MARKUP = "<img src=x onerror=noteError(1)>\u202e"


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def token(name):
    return f"the-token-of-{name}-for-the-page"


def print_configuration():
    print('[admin]\naddress = "127.0.0.1:0"\n[[listen]]\naddress = "127.0.0.1:0"\nauth = "required"')
    for name in (*IDLE, *BUSY):
        digest = hashlib.sha256(token(name).encode()).hexdigest()
        print(f'[[principal]]\nname = "{name}"\ntokens = ["sha256:{digest}"]')
        if name in (TAB, SCRIPT):
            print('namespace = "team"')
        if name == "reports":
            print(f"tasks = {QUOTA_TASKS}")


def come(address, name):
    caller = Caller(address)
    answer = caller.reply(caller.send("lastword.authenticate", {"token": token(name)}))
    expect(answer["result"]["principal"] == name, f"{name} is known: {answer}")
    return caller


def is_shown(browser):
    return browser.find("#talkers").is_displayed()


def rows(browser):
    """By name: requests a second, connections, open tasks, superseded and cancelled a second, refused."""
    return {cells[0]: cells[1:] for cells in browser.ask(CELLS)}


def number(text):
    return -1 if text == "–" else int(text.replace(",", ""))


def check_who_is_shown(browser, address):
    """Two that do nothing came first, and make room for those that take more."""
    callers = {name: come(address, name) for name in IDLE}
    browser.wait("those who came are shown", lambda: sorted(rows(browser)) == sorted(IDLE))
    expect(is_shown(browser), "the panel is there")
    expect([rows(browser)[name][1:3] for name in IDLE] == [["1", "0"]] * 2, "idle ones have a connection and no task")
    callers |= {name: come(address, name) for name in BUSY}
    for caller in (callers[name] for name in BUSY):
        caller.send("sleep", LONG)
    browser.wait("the busy ones are shown, and no more", lambda: sorted(rows(browser)) == sorted(BUSY))
    expect(len(BUSY) == SHOWN, "as many as are shown at most")
    return callers


def check_refused(browser, caller):
    for _ in range(QUOTA_TASKS - 1):
        caller.send("sleep", LONG)
    for _ in range(2):
        expect(caller.code(caller.send("sleep", LONG)) == OVERLOADED, "beyond its quota it is refused")
    browser.wait("what was refused is counted", lambda: rows(browser)["reports"][1:3] + rows(browser)["reports"][5:]
                 == ["1", str(QUOTA_TASKS), "2"])


def check_rates(browser, caller):
    """Somebody types, and takes some of it back: so much a second, before all others."""

    def type_on():
        caller.send("sleep", LONG, "page:typed", "cancel")
        caller.cancel(caller.send("sleep", LONG))
        name, asked, *_, superseded, cancelled, refused = browser.ask(CELLS)[0]
        return (name, refused) == (BUSY[0], "0") and all(number(text) > 0 for text in (asked, superseded, cancelled))

    browser.wait("who types is first, with what it does in a second", type_on)


def check_owners(browser):
    """Keys are told apart by whose they are."""
    namespace = (*IDLE, *BUSY).index(BUSY[0]) + 1
    browser.wait_for("the lane says whose it is",
                     "[...document.querySelectorAll('#lanes .key')].some(node => node.textContent"
                     f" === 'page:typed · namespace {namespace}')")
    names = browser.ask("[0, { listener: 2 }, { connection: 4 }, { namespace: 3 }, { listener: 2, namespace: 3 }]"
                        ".map(owner => new History().laneOf('k', owner).name.slice(1))")
    expect(names == ["", " · listener 2", " · connection 4", " · namespace 3", " · listener 2 · namespace 3"],
           f"owners are called {names}")


def show(browser, samples, look):
    """What is there when the page has shown some statistics."""
    return browser.driver.execute_script(f"return {SHOW.format(look=look, samples='arguments[0]')}", samples)


def principal(name, requests, **others):
    return {"name": name, "connections": 1, "tasks": 0, "requests": requests, "superseded": 0, "cancelled": 0,
            "refused": 0, **others}


def check_numbers(browser):
    """Rates are of the time between two statistics; of who has just come there is none yet."""
    first = {"t": 1_000, "principals": [principal("slow", 10), principal("fast", 0, cancelled=5)]}
    second = {"t": 3_000, "principals": [principal("new", 9_000), principal("slow", 14),
                                         principal("fast", 2_468, superseded=20, cancelled=9, refused=1_000)]}
    expect(show(browser, [first, second], CELLS) == [
        ["fast", "1,234", "1", "0", "10", "2", "1,000"], ["slow", "2", "1", "0", "0", "0", "0"],
        ["new", "–", "1", "0", "–", "–", "0"]], "rates and their order")
    old = {"t": 0, "principals": [principal("slow", 0)]}
    expect(show(browser, [old, first, first, first, first, second], CELLS)[1][:2] == ["slow", "2"],
           "what is older than two seconds does not count")
    expect(show(browser, [first, {**first, "t": 1_000}], CELLS)[0][1] == "–", "no time, no rate")
    is_hidden = show(browser, [{"t": 0}], "document.getElementById('talkers').hidden")
    expect(is_hidden, "without principals there is no panel")


def check_markup(browser):
    look = "[document.querySelectorAll('#talkers img').length, document.querySelector('#talkers bdi').textContent]"
    images, text = show(browser, [{"t": 0, "principals": [principal(MARKUP, 0)]}], look)
    expect(images == 0, "a name is never markup")
    expect(text == MARKUP.replace("\u202e", "\\u202e"), f"a name is shown as it is: {text}")


def check_looks(browser):
    for name, (width, height) in SHAPES.items():
        browser.scheme("light" if name == "light" else "dark")
        browser.resize(width, height)
        browser.wait_for(f"the window is {name}", f"innerWidth === {width} && innerHeight === {height}")
        browser.wait_for("nothing is wider", f"document.documentElement.scrollWidth <= {width}")
        browser.wait("eight are shown", lambda: is_shown(browser) and len(rows(browser)) == SHOWN)
        browser.wait_for("the panel is within the window",
                         "document.getElementById('talkers').getBoundingClientRect().right <= innerWidth")
        browser.wait_for("two fifths of the window are left to the lanes",
                         "document.getElementById('scroller').clientHeight > innerHeight * .4")
        browser.wait_for("names stay readable", "document.querySelector('#talkersrows th').clientWidth > 100")
        browser.screenshot(f"talkers-{name}.png")
    browser.scheme("dark")
    browser.resize(*WINDOW)


def check_quiet(browser):
    expect(browser.ask("lastword.errors") == [], f"the page had errors: {browser.ask('lastword.errors')}")
    complaints = browser.complaints()
    expect(complaints == [], f"the browser complained: {complaints}")


def main(url, address, directory):
    browser = Browser(url, directory)
    try:
        browser.wait_for("the page has heard of what is counted", "'admitted' in lastword.counts()")
        expect(not is_shown(browser), "while nobody has come there is no panel")
        callers = check_who_is_shown(browser, address)
        check_refused(browser, callers["reports"])
        check_rates(browser, callers[BUSY[0]])
        check_owners(browser)
        check_origins(browser, address, token)
        check_numbers(browser)
        check_markup(browser)
        check_looks(browser)
        check_quiet(browser)
    finally:
        browser.close()
    print(f"with principals: {SHOWN} of {len(IDLE) + len(BUSY)} shown, counted and in order")


if __name__ == "__main__":
    if sys.argv[1:] == ["configuration"]:
        print_configuration()
    else:
        main(*sys.argv[1:])
