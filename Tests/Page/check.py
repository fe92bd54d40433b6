#!/usr/bin/env python3
"""Holds the live page in a browser against the gateway that serves it. Started by scripts/page.

    python3 check.py URL HOST:PORT DIRECTORY

URL is that of the admin listener, HOST:PORT is where the gateway takes requests for its own demonstration methods,
and DIRECTORY is where the screenshots go. CHROMIUM and CHROMEDRIVER name the programs.
"""
import re
import sys
import time
import urllib.request

from browser import WINDOW, Browser, expect
from caller import Caller
from hearing import expect_contrast, expect_named, heard
from playground import check_playground
from selenium.webdriver.common.keys import Keys

SUPERSEDED, BUSY, CANCELLED, UNKNOWN_METHOD = -32080, -32081, -32800, -32601
OUTCOMES = ("delivered", "failed", "superseded", "cancelled", "expired", "rejected", "abandoned")
COUNTED = (*OUTCOMES, "admitted", "live")
LONG, SHORT = {"ms": 60_000}, {"ms": 30}
ODD_KEYS = ("<img src=x onerror=noteError(1)>", "\u202etfel ot thgir", "\u0007 bell", "😀" * 40, "a" * 500, "שלום")
TYPED_LETTERS, LETTER_SECONDS = 24, 0.15
LIMIT_BYTES = 1 << 20
PICTURE = 1280, 600
SAMPLE = re.compile(r"^lastword_requests_(\w+?)(?:_total)?(?:\{(.*)\})? ([0-9.e+]+)$", re.MULTILINE)


def gateway_counts(url):
    """What /metrics says of requests: admitted, live, and each end."""
    with urllib.request.urlopen(f"{url}metrics", timeout=30) as answer:
        text = answer.read(LIMIT_BYTES).decode()
    counts = {}
    for name, labels, value in SAMPLE.findall(text):
        outcome = re.search(r'outcome="(\w+)"', labels)
        if outcome and name == "ended":
            counts[outcome[1]] = int(float(value))
        elif not labels:
            counts["live" if name == "open" else name] = int(float(value))
    return counts


def type_three(browser, caller):
    """Each goes out when the page has seen the one before it run."""
    numbers, lane = [], "lastword.tasks('page:typed')"
    for params in (LONG, LONG, SHORT):
        fates = ["superseded"] * (len(numbers) - 1) + ["running"] * (len(numbers) > 0)
        browser.wait("the one before runs",
                     lambda fates=fates: [task["fate"] for task in browser.ask(lane)] == fates)
        numbers.append(caller.send("sleep", params, "page:typed", "cancel"))
    expect([caller.code(n) for n in numbers] == [SUPERSEDED, SUPERSEDED, None], "the last one wins")


def send_some_of_everything(browser, caller):
    """A request for each end that a test can bring about at will; gives the keys that were used."""
    type_three(browser, caller)
    queue = [caller.send("sleep", SHORT, "page:queue", "wait") for _ in range(4)]
    expect(all(caller.code(n) is None for n in queue), "whatever waits is delivered in the end")
    cancelled = caller.send("sleep", LONG, "page:cancelled", "cancel")
    caller.cancel(cancelled)
    expect(caller.code(cancelled) == CANCELLED, "a cancelled request says so")
    joined = [caller.send("sleep", {"ms": 300}, "page:joined", "preferPrevious") for _ in range(2)]
    busy = caller.send("echo", {"text": "another"}, "page:joined", "preferPrevious")
    expect([caller.code(n) for n in joined] == [None, None], "the same question joins")
    expect(caller.code(busy) == BUSY, "another question is refused")
    unknown = caller.send("page/unknown", {}, "page:failed", "cancel")
    expect(caller.code(unknown) == UNKNOWN_METHOD, "upstream's error is passed on")
    expect(caller.code(caller.send("echo", {"text": "no key"})) is None, "no key is needed")
    for key in ODD_KEYS:
        expect(caller.code(caller.send("echo", {"text": "odd"}, key)) is None, f"a key may be {key!r}")
    return ["page:typed", "page:queue", "page:cancelled", "page:joined", "page:failed", *ODD_KEYS]


def check_counts(browser, url):
    """All ends are in the page as they are in the gateway, and in the events that it drew."""

    def agree():
        counts, told = browser.ask("lastword.counts()"), gateway_counts(url)
        expect(set(COUNTED) <= set(told), f"/metrics lacks some counters, it has {sorted(told)}")
        return all(counts.get(name) == told[name] for name in COUNTED) and told

    told = browser.wait("the counts of the page are those of the gateway", agree)
    for name, least in {"superseded": 2, "cancelled": 1, "rejected": 1, "delivered": 9, "failed": 1}.items():
        expect(told[name] >= least, f"the gateway counts {told[name]} {name}")
    expect(browser.ask("lastword.merged()") == 0, "no event was merged at so little load")
    browser.wait_for("every admitted request is an event that the page has seen",
                     "(({admitted, seen}) => seen.a + seen.j + seen.r === admitted)(lastword.counts())")
    browser.wait_for("every end with an error of the gateway's own is an event, too",
                     "((c) => c.seen.x === c.superseded + c.cancelled + c.expired + c.abandoned)(lastword.counts())")
    expect(browser.find("#sum .verdict").text == "✓", "the equation holds")
    return told


def check_lanes(browser, keys):
    known = {lane["key"] for lane in browser.ask("lastword.lanes()")}
    expect(set(keys) <= known, f"lanes are missing: {set(keys) - known}")
    browser.wait_for("the list beside the canvas names the lane",
                     "[...document.querySelectorAll('#lanes .key')].some(node => node.textContent === 'page:typed')")
    expect(browser.ask("document.querySelectorAll('#lanes img').length") == 0, "a key is never markup")
    fates = browser.ask("lastword.tasks('page:typed').map(task => task.fate)")
    expect(fates == ["superseded", "superseded", "delivered"], f"the callers were told otherwise than {fates}")


def focused_label(browser):
    return browser.ask("document.activeElement.getAttribute('aria-label') ?? ''")


def check_story(browser):
    """From the filter to a dropped request's story and on to its successor's, by keyboard alone."""
    browser.press("/", "page:typed", Keys.ARROW_DOWN)
    browser.wait("the lane has the focus", lambda: focused_label(browser).startswith("page:typed"))
    browser.press(Keys.ENTER)
    browser.wait("a task has the focus", lambda: focused_label(browser).startswith("generation"))
    for _ in range(10):
        if "superseded" in focused_label(browser):
            break
        browser.press(Keys.ARROW_DOWN)
    dropped = int(re.match(r"generation (\d+)", focused_label(browser))[1])
    browser.press(Keys.ENTER)
    story = browser.wait("the story is told", lambda: browser.find("#story").text)
    for words in (f"{dropped}", "superseded", "took its place", "page:typed", "-32080", f"generation {dropped + 1}"):
        expect(words in story, f"the story lacks {words!r}: {story}")
    browser.screenshot("story.png")
    browser.press(Keys.TAB, Keys.ENTER)
    browser.wait("the link leads to the successor",
                 lambda: browser.find("#paneltitle").text == f"Generation {dropped + 1}")
    expect(f"generation {dropped}" in browser.find("#story").text, "the successor's story says whose place it took")
    browser.press(Keys.ESCAPE, Keys.ESCAPE)
    browser.wait_for("the panel is closed", "document.getElementById('panel').hidden")
    browser.press("/", Keys.ESCAPE)
    browser.wait_for("the filter is empty", "lastword.view().filter === ''")
    browser.driver.execute_script("document.activeElement.blur()")


def check_pause(browser, caller):
    """The view stands still, what comes meanwhile is there afterwards."""
    browser.press(Keys.SPACE)
    frozen = browser.wait_for("it pauses", "lastword.view().paused && lastword.view().now")
    before = browser.ask("lastword.counts().admitted")
    expect(caller.code(caller.send("echo", {"text": "meanwhile"}, "page:paused")) is None, "requests go on")
    browser.wait_for("numbers go on", f"lastword.counts().admitted > {before}")
    browser.wait_for("events are kept", "lastword.tasks('page:paused').length === 1")
    expect(browser.ask("lastword.view().now") == frozen, "the view stands still")
    browser.press(Keys.SPACE)
    browser.wait_for("it goes on", f"!lastword.view().paused && lastword.view().now > {frozen}")
    browser.wait_for("the lane is shown", "lastword.lanes().some(lane => lane.key === 'page:paused' && lane.shown)")


def check_playground_after_pause(browser):
    """Who pauses and then sends something wants to see it."""
    browser.press(Keys.SPACE)
    browser.wait_for("it pauses", "lastword.view().paused")
    browser.press("p")
    browser.wait_for("the playground is shown", "lastword.view().playground")
    sent = len(browser.ask("lastword.play().cancel"))
    browser.find("button[data-pane='cancel']").click()
    browser.wait_for("it goes on", "!lastword.view().paused")
    browser.wait_for("what was sent is told", f"lastword.play().cancel.length > {sent}")
    browser.press("p")
    browser.wait_for("the lanes are shown again", "!lastword.view().playground")


def check_enter(browser):
    """Enter leads to a story wherever one begins."""
    browser.driver.execute_script("document.activeElement.blur()")
    browser.press(Keys.ENTER)
    browser.wait("a task has the focus", lambda: focused_label(browser).startswith("generation"))
    browser.press(Keys.ENTER)
    browser.wait("the story is told", lambda: browser.find("#story").text)
    browser.press(Keys.ESCAPE, Keys.ESCAPE)
    browser.wait_for("the panel is closed", "document.getElementById('panel').hidden")
    browser.driver.execute_script("document.activeElement.blur()")


def check_merged(browser):
    """A task that went out of sight, for events were merged, has not failed."""
    kinds = browser.ask("['delivered', 'superseded', 'failed', 'lost', 'cancelled', 'expired'].map(kindOfEnd)")
    expect(kinds == ["delivered", "superseded", "failed", "other", "other", "other"], f"ends count as {kinds}")


def check_narrow(browser):
    """A phone's width: nothing is beyond the edge, and the bars have room."""
    for width in (360, 600):
        browser.resize(width, 740)
        browser.wait_for("the window is narrow", f"innerWidth === {width}")
        browser.wait_for("nothing is wider", f"document.documentElement.scrollWidth <= {width}")
        beyond = browser.ask("[...document.querySelectorAll('.top > *, #live, main, footer')].filter(node => "
                             "node.getBoundingClientRect().right > innerWidth + 1).map(node => node.id || node.className)")
        expect(beyond == [], f"{beyond} are beyond the edge at {width}")
        browser.wait_for("the bars have half of it", "document.getElementById('canvasbox').clientWidth > innerWidth / 2")
        browser.wait_for("so have the lanes in height", "document.getElementById('scroller').clientHeight > 300")
        browser.screenshot(f"narrow-{width}.png")
        browser.press("p")
        browser.wait_for("the panes fit", "document.getElementById('panes').scrollWidth <= innerWidth")
        browser.wait_for("so does what stands above them", "document.getElementById('play').scrollWidth <= innerWidth")
        browser.screenshot(f"playground-{width}.png")
        browser.press("p")
    browser.resize(*WINDOW)


def check_seen_and_heard(browser):
    """By whoever sees badly, or not at all: texts stand out in both schemes, and what can be used has a name."""
    for scheme in ("dark", "light"):
        browser.scheme(scheme)
        browser.wait_for(f"the page is {scheme}", f"document.documentElement.dataset.theme === '{scheme}'")
        for shown in ("#live", "#play"):
            browser.wait_for(f"{shown} is there", f"document.querySelector('{shown}').checkVisibility()")
            expect_contrast(browser)
            expect_named(heard(browser))
            browser.press("p")
    browser.scheme("dark")


def check_schemes(browser, caller):
    """Both colour schemes, with somebody typing."""
    grounds = {}
    browser.press("/", "box:")
    for scheme in ("dark", "light"):
        browser.scheme(scheme)
        browser.wait_for(f"the page is {scheme}", f"document.documentElement.dataset.theme === '{scheme}'")
        grounds[scheme] = browser.ask("getComputedStyle(document.body).backgroundColor")
        browser.resize(*PICTURE)
        browser.wait_for("the lanes fit the picture", f"innerHeight === {PICTURE[1]}")
        type_a_while(caller)
        browser.screenshot(f"live-{scheme}.png")
        browser.resize(*WINDOW)
    expect(grounds["dark"] != grounds["light"], "the schemes differ")
    browser.scheme("dark")
    browser.press(Keys.ESCAPE)


def type_a_while(caller):
    """Keystrokes at the pace of a typist: the picture is of nothing else."""
    for letter in range(TYPED_LETTERS):
        for box, policy in (("box:files", "cancel"), ("box:symbols", "keepLatest"), ("box:logs", "wait")):
            caller.send("sleep", {"ms": 100 + 70 * (letter % 4), "letter": letter}, box, policy)
        time.sleep(LETTER_SECONDS)


def check_quiet(browser):
    expect(browser.ask("lastword.errors") == [], f"the page had errors: {browser.ask('lastword.errors')}")
    check_quiet_console(browser)


def check_quiet_console(browser):
    complaints = browser.complaints()
    expect(complaints == [], f"the browser complained: {complaints}")


def main(url, address, directory):
    url = url if url.endswith("/") else f"{url}/"
    browser = Browser(url, directory)
    try:
        browser.wait_for("the page is connected", "document.querySelector('#state.up') !== null")
        expect(browser.find("#empty").is_displayed(), "an empty page says how to begin")
        caller = Caller(address)
        keys = send_some_of_everything(browser, caller)
        told = check_counts(browser, url)
        expect(not browser.find("#empty").is_displayed(), "a page with lanes is not empty")
        check_lanes(browser, keys)
        check_story(browser)
        check_playground(browser)
        check_pause(browser, caller)
        check_playground_after_pause(browser)
        check_enter(browser)
        check_merged(browser)
        check_narrow(browser)
        check_seen_and_heard(browser)
        check_schemes(browser, caller)
        check_quiet(browser)
        drawn, slowest = browser.ask("[lastword.frames.drawn, lastword.frames.slowest]")
        print(f"detail: {told['admitted']} requests counted alike, {drawn} frames, the slowest in {slowest:.0f} ms")
    finally:
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
