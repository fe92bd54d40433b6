#!/usr/bin/env python3
"""Types into the page of `lastword demo --page` in a browser. Started by scripts/page.

    python3 typing_box.py LASTWORD DIRECTORY

DIRECTORY is where the screenshots go. CHROMIUM and CHROMEDRIVER name the programs.
"""
import contextlib
import http.client
import json
import re
import signal
import subprocess
import sys
import time
import urllib.parse

from browser import PATIENCE_SECONDS, Browser, expect
from hearing import expect_contrast, expect_heard, expect_named, heard
from selenium.webdriver.common.keys import Keys

LETTER_SECONDS = 0.08
ATTEMPTS = 10
PHONE = 360, 780
COUNTS = "[...document.querySelectorAll('#{} [data-count]')].map(e => [e.dataset.count, e.textContent])"
BADGE = "document.querySelector('#{} [data-part=badge]').textContent"


class Demo:
    """The demo as somebody runs it, on a port that is given or any."""

    def __init__(self, binary, port=0):
        self.process = subprocess.Popen(
            [binary, "demo", "--page", "--page-address", f"127.0.0.1:{port}"], stdout=subprocess.PIPE, text=True)
        self.url = None
        for line in self.process.stdout:
            if line.startswith("The page to type into: "):
                self.url = line.split()[-1]
                break
        expect(self.url, "the demo says where its page is")
        self.port = urllib.parse.urlsplit(self.url).port

    def end(self):
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(PATIENCE_SECONDS)
        expect(status == 128 + signal.SIGINT, f"the demo ended with {status}")

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def counts(browser, side):
    texts = dict(browser.ask(COUNTS.format(side)))
    return {name: int(text) for name, text in texts.items() if name != "work"}


def settle(browser):
    """Waits until every request of both sides has ended."""
    browser.wait_for("all requests end", "document.querySelectorAll('.log .waiting').length === 0")
    return counts(browser, "direct"), counts(browser, "gateway")


def type_slowly(browser, text):
    for letter in text:
        browser.press(letter)
        time.sleep(LETTER_SECONDS)


def clear(browser):
    browser.find("#box").send_keys(Keys.CONTROL, "a")
    browser.find("#box").send_keys(Keys.DELETE)


def check_typing(browser):
    """Until a stale answer was on the left, which is the rule, but nobody's duty."""
    asked = 0
    for attempt in range(ATTEMPTS):
        for text in ("readdir", "socket"):
            type_slowly(browser, text)
            asked += len(text)
            browser.wait_for("the right side is up to date", f"{BADGE.format('gateway')} === 'up to date'")
            direct, gateway = settle(browser)
            shows = browser.find("#gateway [data-part=shows]").text
            expect(shows.startswith(f"“{text}”"), f"the right side shows {shows}")
            clear(browser)
        for counted in (direct, gateway):
            expect(counted["asked"] == asked, f"{counted['asked']} were asked of {asked}")
        expect(direct["answers"] == asked, f"the left side got {direct['answers']} answers of {asked}")
        expect(gateway["answers"] + gateway["superseded"] == asked, f"the right side has {gateway} of {asked}")
        expect(gateway["stale"] == 0, "a stale answer came through the gateway")
        if direct["stale"] > 0 and gateway["superseded"] > 0:
            return direct, gateway
    raise AssertionError(f"no stale answer in {ATTEMPTS} attempts")


def check_said(browser):
    browser.wait_for("the counts are said", "document.querySelector('#said').textContent !== ''")
    expect("superseded" in browser.ask("document.querySelector('#said').textContent"), "what is said")


def check_empty(browser):
    type_slowly(browser, "s")
    clear(browser)
    settle(browser)
    for side in ("direct", "gateway"):
        expect(browser.find(f"#{side}").is_displayed(), side)
    expect(browser.ask(BADGE.format("gateway")) == "nothing typed", "the right side is empty again")
    expect(browser.ask("document.querySelectorAll('#gateway .hits li').length") == 0, "it shows nothing")


def check_paste(browser):
    before = settle(browser)[1]["asked"]
    browser.driver.execute_cdp_cmd("Input.insertText", {"text": "permission denied"})
    browser.wait_for("what was pasted is found", f"{BADGE.format('gateway')} === 'up to date'")
    after = settle(browser)[1]["asked"]
    expect(after == before + 1, f"pasting asked {after - before} times")
    clear(browser)
    browser.driver.execute_cdp_cmd("Input.insertText", {"text": "zq\"\\<b>xjv\u00e9 \U0001f984"})
    browser.wait_for("nothing is found", "document.querySelectorAll('.hits .none').length === 2")
    clear(browser)


def check_button(browser):
    browser.press(Keys.TAB)
    browser.wait_for("Tab leads to the button", "document.activeElement.id === 'demo'")
    browser.press(Keys.ENTER)
    browser.wait_for("it types", "document.querySelector('#box').value.startsWith('read')")
    browser.wait_for("the first word is done", "document.querySelector('#box').value === 'readdir'")
    browser.press(Keys.ENTER)
    browser.wait_for("it stops", "document.querySelector('#demo').getAttribute('aria-pressed') === 'false'")
    settle(browser)


def check_heard(browser):
    """By whoever cannot see the page: what is typed in, what came of it on either side, and that it changes."""
    browser.find("#demo").send_keys(Keys.SHIFT, Keys.TAB)
    type_slowly(browser, "timeout")
    settle(browser)
    browser.wait_for("the counts are said", "document.querySelector('#said').textContent !== ''")
    told = heard(browser)
    expect_named(told)
    expect_heard(told, "searchbox", "Type to search real files", focused=True)
    expect_heard(told, "button", "Type for me", pressed="false")
    for title, side in (("Without a gateway", "without a gateway"), ("Through lastword", "through lastword")):
        expect_heard(told, "region", title)
        expect_heard(told, "heading", title, level=2)
        expect_heard(told, "list", f"Best files, {side}")
        expect_heard(told, "list", f"Newest requests, {side}")
    expect(any(role == "status" and properties.get("live") == "polite" for role, _, properties in told),
           "what changes is said")
    clear(browser)


def check_sizes(browser):
    grounds = set()
    type_slowly(browser, "socket")
    settle(browser)
    for scheme in ("dark", "light"):
        browser.scheme(scheme)
        grounds.add(browser.ask("getComputedStyle(document.body).backgroundColor"))
        browser.screenshot(f"typing-{scheme}.png")
        expect_contrast(browser)
    expect(len(grounds) == 2, "the schemes differ")
    browser.resize(*PHONE)
    over = browser.ask("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    expect(over <= 0, f"it is {over} pixels too wide for a phone")
    browser.screenshot("typing-phone.png")
    browser.resize(1280, 800)


def status(port, path, **fields):
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)) as connection:
        connection.request("GET", path, headers=fields)
        response = connection.getresponse()
        return response.status, response.headers


def check_strangers(demo):
    """Neither other sites nor other names of this machine get in, at the page or at its gateway."""
    _, fields = status(demo.port, "/")
    policy = fields["Content-Security-Policy"]
    expect("default-src 'none'" in policy and "unsafe" not in policy, policy)
    gateway = int(re.search(r"ws://127\.0\.0\.1:(\d+)", policy)[1])
    search = "/search?reader=1&number=1&q=s"
    for wanted, port, path, words in (
            (421, demo.port, "/", {"Host": "evil.test"}), (403, demo.port, search, {"Origin": "http://evil.test"}),
            (403, demo.port, search, {"Sec-Fetch-Site": "cross-site"}),
            (404, demo.port, "/search?reader=9&number=1&q=s", {}),
            (400, demo.port, "/search?reader=1", {}),
            (403, gateway, "/", {"Origin": "http://evil.test", "Connection": "Upgrade", "Upgrade": "websocket",
                                 "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="})):
        got, _ = status(port, path, **words)
        expect(got == wanted, f"{path} with {words} was answered {got}, not {wanted}")


def check_restart(browser, demo, binary):
    browser.find("#box").send_keys("timeout")
    settle(browser)
    demo.end()
    browser.wait_for("the page says that the demo is gone", "document.querySelector('#link').textContent !== ''")
    again = Demo(binary, demo.port)
    try:
        browser.wait_for("it asks again", f"{BADGE.format('gateway')} === 'up to date'"
                         " && document.querySelector('#link').textContent === ''")
        expect(browser.ask("document.querySelector('#box').value") == "timeout", "the text is still there")
        again.end()
    finally:
        again.kill()


def main(binary, directory):
    demo = Demo(binary)
    try:
        browser = Browser(demo.url, directory)
        try:
            browser.wait_for("it knows the directory", "document.querySelector('#directory').textContent === '/usr'")
            direct, gateway = check_typing(browser)
            check_said(browser)
            check_empty(browser)
            check_paste(browser)
            check_button(browser)
            check_heard(browser)
            check_sizes(browser)
            clear(browser)
            check_strangers(demo)
            names = browser.ask("performance.getEntriesByType('resource').map(entry => new URL(entry.name).host)")
            expect(set(names) == {urllib.parse.urlsplit(demo.url).netloc}, f"it loads from {set(names)}")
            complaints = browser.complaints()
            expect(complaints == [], f"the page complains: {json.dumps(complaints)}")
            check_restart(browser, demo, binary)
        finally:
            browser.close()
    finally:
        demo.kill()
    print(f"page to type into: {direct['stale']} stale of {direct['answers']} without a gateway, "
          f"{gateway['stale']} of {gateway['answers']} through it, {gateway['superseded']} superseded")


if __name__ == "__main__":
    main(*sys.argv[1:])
