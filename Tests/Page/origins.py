"""From where requests come, as the stories of a shared key tell it: a tab by WebSocket, a script by POST."""
import contextlib
import http.client
import json
import re

import websocket
from selenium.webdriver.common.keys import Keys

PATIENCE_SECONDS = 30
TAB, SCRIPT = "ben", "cyd"
LONG, SHORT = {"ms": 60_000}, {"ms": 30}
SUPERSEDED = -32080


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def request(number, key, policy, params, **more):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "sleep", "params": params,
                       "task": {"key": key, "policy": policy, **more}})


@contextlib.contextmanager
def tab(address, token):
    client = websocket.create_connection(f"ws://{address}/", timeout=PATIENCE_SECONDS, suppress_origin=True,
                                         header=[f"Authorization: Bearer {token}"])
    with contextlib.closing(client):
        yield client


@contextlib.contextmanager
def post(address, token, text):
    with contextlib.closing(http.client.HTTPConnection(address, timeout=PATIENCE_SECONDS)) as client:
        client.request("POST", "/", text, {"Content-Type": "application/json", "Authorization": f"Bearer {token}"})
        yield client


def answer(client):
    return json.loads(client.getresponse().read())


def open_lane(browser, key):
    """Shows the tasks of a lane; gives what is said of each, the newest first."""
    browser.press("/", key, Keys.ARROW_DOWN)
    browser.wait_for("the lane has the focus",
                     f"(document.activeElement.getAttribute('aria-label') ?? '').startsWith('{key}')")
    browser.press(Keys.ENTER)
    browser.wait_for("its tasks are shown", "!document.getElementById('panel').hidden")
    return browser.ask("[...document.querySelectorAll('#tasks .task')].map(row => row.getAttribute('aria-label'))")


def close_lane(browser):
    browser.press(Keys.ESCAPE, Keys.ESCAPE)
    browser.wait_for("the panel is closed", "document.getElementById('panel').hidden")
    browser.press("/", Keys.ESCAPE)
    browser.wait_for("the filter is empty", "lastword.view().filter === ''")
    browser.driver.execute_script("document.activeElement.blur()")


def story(browser, *patterns):
    """The story of the task that has the focus, once all of this is in it."""
    browser.press(Keys.ENTER)
    for pattern in patterns:
        browser.wait(f"the story says {pattern!r}: {browser.find('#story').text}",
                     lambda pattern=pattern: re.search(pattern, browser.find("#story").text))


def check_origins(browser, address, token):
    with tab(address, token(TAB)) as client:
        check_joined(browser, address, token, client)
        check_passed(browser, address, token, client)
        check_earlier(browser, client)


def check_joined(browser, address, token, client):
    client.send(request(1, "page:joined", "preferPrevious", LONG))
    browser.wait_for("it is there", "[...live.lanes.values()].some(lane => lane.key === 'page:joined')")
    with post(address, token(SCRIPT), request(2, "page:joined", "preferPrevious", LONG)):
        browser.wait_for("one more has joined",
                         "[...live.lanes.values()].some(lane => lane.key === 'page:joined' && lane.last.joiners)")
        rows = open_lane(browser, "page:joined")
        expect(len(rows) == 1 and rows[0].endswith(f"; from {TAB} · WebSocket"), f"its caller is named: {rows}")
        story(browser, rf"with policy preferPrevious, from {TAB} · WebSocket · connection \d+\.",
              rf"joined it: {SCRIPT} · POST · connection \d+\.", rf"from\s+{TAB} · WebSocket · connection \d+\s",
              rf"joined by\s+{SCRIPT} · POST · connection \d+\s", r"address\s+127\.0\.0\.1:\d+")
        browser.screenshot("origins.png")
        close_lane(browser)


def check_passed(browser, address, token, client):
    """Superseded by what came another way; and of a POST that is answered nobody is left."""
    client.send(request(3, "page:passed", "cancel", LONG))
    browser.wait_for("it is there", "[...live.lanes.values()].some(lane => lane.key === 'page:passed')")
    with post(address, token(SCRIPT), request(4, "page:passed", "cancel", SHORT)) as script:
        expect("result" in answer(script), "the script has the last word")
    expect(json.loads(client.recv())["error"]["code"] == SUPERSEDED, "the tab has not")
    browser.wait_for("both are told", "[...live.lanes.values()].some(lane => lane.key === 'page:passed'"
                     " && lane.size === 2 && lane.last.fate() === 'delivered')")
    rows = open_lane(browser, "page:passed")
    expect([row.rsplit("; ", 1)[1] for row in rows] == [f"from {SCRIPT} · POST", f"from {TAB} · WebSocket"],
           f"their callers are named: {rows}")
    listed = browser.ask("(now => { view.now = 1; panel.list(panel.lane); view.now = now; panel.focusFirst();"
                         " return panel.rows.length; })(view.now)")
    expect(listed == 2, f"what came after the last drawing is listed, too: {listed}")
    story(browser, rf"It took the place of generation \d+, from {TAB} · WebSocket · connection \d+\.",
          rf"from\s+{SCRIPT} · POST · connection \d+\s", r"address\s+not connected any more")
    browser.press(Keys.ESCAPE, Keys.ARROW_DOWN)
    story(browser, rf"Superseded by generation \d+ \(policy cancel\), from {SCRIPT} · POST · connection \d+\.",
          r"address\s+127\.0\.0\.1:\d+")
    close_lane(browser)
    unknown = browser.ask("new Origin([7, null, 'ann']).whole")
    expect(unknown == "ann · connection 7, gone before it was asked how it came", unknown)
    named = browser.ask("(({mark, short}) => [mark, short])(new Origin([7, 'lines', 'constructor']))")
    expect(named == ["", "constructor · lines"], f"no name means more than a name: {named}")
    markup = browser.ask("new Origin([7, 'content-length+tls', '<b>\u202e']).whole")
    expect(markup == "<b>\\u202e · Content-Length over TLS · connection 7", markup)


def check_earlier(browser, client):
    """What was there before the page was tells from where it came only if the key is a connection's own."""
    client.send(request(5, "page:own", "wait", LONG, scope="connection"))
    browser.wait_for("it is there", "[...live.lanes.values()].some(lane => lane.key === 'page:own')")
    expect(browser.ask("lastword.errors") == [], f"the page had errors: {browser.ask('lastword.errors')}")
    browser.driver.refresh()
    browser.wait_for("both are found again", "['page:own', 'page:joined'].every(key =>"
                     " [...live.lanes.values()].some(lane => lane.key === key && lane.first?.admitted < view.now))")
    rows = open_lane(browser, "page:joined")
    expect("from" not in rows[0], f"nobody is named: {rows}")
    story(browser, r"from\s+not known: events were left out, or it was there before the page")
    close_lane(browser)
    open_lane(browser, "page:own")
    story(browser, r"from\s+connection \d+\s", rf"which is\s+{TAB} · WebSocket · connection \d+\s",
          r"address\s+127\.0\.0\.1:\d+")
    close_lane(browser)
