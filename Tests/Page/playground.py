"""What each policy, and what a route adds to it, does with two or three requests, as seen in its pane of the playground."""
import re

from selenium.webdriver.common.keys import Keys

PANES = ("cancel", "cancelAndWait", "wait", "concurrent", "preferPrevious", "keepLatest", "onAnswer", "maxRunning",
         "follow")
LONG_WORK, SHORT_WORK = "3000", "500"


class Pane:
    """The log of one pane, its generations numbered in the order in which they came."""

    def __init__(self, browser, name):
        self.browser, self.name = browser, name

    @property
    def log(self):
        entries = self.browser.ask(f"lastword.play()['{self.name}']")
        order = [entry[1:] for entry in entries if entry[0] == "a"]
        return [re.sub(r"\d+", lambda found: str(order.index(found[0]) + 1), entry) for entry in entries]

    def send(self):
        self.browser.find(f"button[data-pane='{self.name}']").click()

    def wait(self, *entries):
        self.browser.wait(f"{self.name} comes to {entries}, it has {self.log}",
                          lambda: all(entry in self.log for entry in entries))

    def expect_order(self, *entries):
        log = self.log
        places = [log.index(entry) for entry in entries]
        if places != sorted(places):
            raise AssertionError(f"{self.name}: the order is not {entries} in {log}")

    def expect_none(self, *entries):
        if found := set(entries) & set(self.log):
            raise AssertionError(f"{self.name}: {found} must not be in {self.log}")


def check_playground(browser):
    browser.press("p")
    browser.wait_for("the playground is shown", "lastword.view().playground")
    panes = {name: Pane(browser, name) for name in PANES}
    begin_all(browser, panes)
    send_seconds(browser, panes)
    check_ends(panes)
    take_picture(browser, panes)
    check_senders(browser, panes["wait"])
    browser.press("p")
    browser.wait_for("the lanes are shown again", "!lastword.view().playground")


def begin_all(browser, panes):
    browser.choose("#work", LONG_WORK)
    for pane in panes.values():
        pane.send()
    for pane in panes.values():
        pane.wait("a1", "s1")


def send_seconds(browser, panes):
    """While the first still runs. That of onAnswer is the faster one, so it is the older that loses."""
    for name, pane in panes.items():
        browser.choose("#work", SHORT_WORK if name == "onAnswer" else LONG_WORK)
        pane.send()
    panes["keepLatest"].wait("a2")
    browser.choose("#work", LONG_WORK)
    for name in ("keepLatest", "maxRunning"):
        panes[name].send()
    panes["cancel"].wait("x1:superseded:2", "s2")
    panes["cancelAndWait"].wait("x1:superseded:2", "a2")
    panes["wait"].wait("a2")
    panes["concurrent"].wait("s2")
    panes["keepLatest"].wait("x2:superseded:3")
    panes["maxRunning"].wait("s2", "a3")
    panes["follow"].wait("f1", "s2")
    panes["preferPrevious"].browser.wait("the second joins the first, or is refused",
                                         lambda: {"j1", "r:busy"} & set(panes["preferPrevious"].log))


def take_picture(browser, panes):
    """Five requests to all of them, one shortly after the other: when the last of most has ended."""
    browser.choose("#work", SHORT_WORK)
    browser.press("t")
    panes["cancel"].wait("d7")
    panes["keepLatest"].wait("d8")
    panes["wait"].wait("d5")
    browser.screenshot("playground.png")


def check_senders(browser, pane):
    """Both send in turn, or one of them does; the bars, the notes and the stories say which, and how it came."""
    lane = "play.laneOf('wait')"
    ways = "(({from}) => `${from.mark} ${from.short}`)"
    told = browser.ask(f"[{ways}({lane}.first), {ways}({lane}.first.next)]")
    if told != ["■ ann · WebSocket over TLS", "◇ ben · POST"]:
        raise AssertionError(f"they do not send in turn: {told}")
    legend = browser.find("#senders").text
    if "ann: a tab, WebSocket over TLS" not in legend or "ben: a script, POST" not in legend:
        raise AssertionError(f"nothing says what the marks mean: {legend}")
    for name, said in (("ann", "ann: a tab"), ("ben", "ben: a script"), ("", "all in turn"), ("ann", "ann: a tab")):
        browser.press("f")
        browser.wait(f"{name or 'both'} send", lambda name=name, said=said: said in browser.find("#said").text
                     and browser.ask("document.getElementById('sender').value") == name)
    before = browser.ask(f"{lane}.last.generation")
    for _ in range(2):
        pane.send()
    browser.wait_for("both are ann's", f"{lane}.last.previous.generation > {before}"
                     f" && {lane}.last.from.label === 'ann' && {lane}.last.previous.from.label === 'ann'")
    browser.wait_for("the note says so", "[...document.querySelectorAll('.note')].some(note =>"
                     " /\\d+ (came from|runs, for) ann \\(WebSocket over TLS\\)/.test(note.textContent))")
    texts = browser.ask("[200, 100, 50, 20].map(room => labels({generation: 7, method: 'work', from:"
                        " new Origin([1, 'http', 'ben'], new Map([['ben', '◇']]))}, room)).map(texts => texts.join('|'))")
    if texts != ["◇7 work · ben|◇7 work|◇7 ben|◇7|◇", *["◇7 ben|◇7|◇"] * 3]:
        raise AssertionError(f"bars would say {texts}")
    browser.driver.execute_script(f"panel.tell({lane}.last, {lane}.last.generation, play)")
    browser.wait("the story says it", lambda: "from ann · WebSocket over TLS · connection" in browser.find("#story").text)
    browser.press(Keys.ESCAPE, Keys.ESCAPE)
    browser.wait_for("the panel is closed", "document.getElementById('panel').hidden")
    browser.choose("#sender", "")
    browser.driver.execute_script("document.querySelector('.pane button').focus()")


def check_ends(panes):
    panes["cancel"].wait("d2")
    panes["cancel"].expect_none("d1")
    panes["cancelAndWait"].wait("z1", "d2")
    panes["cancelAndWait"].expect_order("x1:superseded:2", "z1", "s2", "d2")
    panes["wait"].wait("d1", "d2")
    panes["wait"].expect_order("s1", "d1", "s2", "d2")
    panes["concurrent"].wait("d1", "d2")
    panes["concurrent"].expect_order("s1", "s2", "d1")
    panes["preferPrevious"].wait("d1")
    panes["preferPrevious"].expect_none("a2")
    panes["keepLatest"].wait("d1", "d3")
    panes["keepLatest"].expect_order("s1", "x2:superseded:3", "d1", "s3", "d3")
    panes["keepLatest"].expect_none("s2", "d2")
    panes["onAnswer"].wait("d2", "x1:superseded:2")
    panes["onAnswer"].expect_none("d1")
    panes["maxRunning"].wait("d1", "d2", "d3")
    panes["maxRunning"].expect_order("s1", "s2", "s3")
    panes["maxRunning"].expect_none("x1")
    panes["follow"].wait("d2")
    panes["follow"].expect_none("x1:superseded:2", "d1")
