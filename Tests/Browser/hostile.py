#!/usr/bin/env python3
"""Opens pages that try to reach a gateway on the same machine. Started by scripts/browser.

    python3 hostile.py DIRECTORY

LASTWORD_BINARY names the gateway, CHROMIUM and CHROMEDRIVER the browser. DIRECTORY is for files.
What the pages try is in attacks.js.
"""
import contextlib
import sys
import threading
import time

from sites import HERE, PATIENCE_SECONDS, Caller, Page, Server, Site, configured, expect, killing, quoted

ATTACKS = "const { attack } = await import('/attacks.js'); return attack(words[0]);"
ONE = "const { attacks } = await import('/attacks.js'); return attacks[words[1]](words[0], words[1]);"
# A browser asks before it sends these, so that they do not come to anybody who has not allowed it.
ASKED_FIRST = {"json", "beaconJSON"}
STATUS = ("const [url, method, body, headers] = words;"
          "return (await fetch(url, { method, body, headers })).status;")
# What a gateway takes from a page that is named.
TAKEN = ("json", "socket", "socketWithProtocol")
MISDIRECTED, UNSUPPORTED = 421, 415


def pages():
    page = "<!DOCTYPE html><title>hostile</title><body>"
    return {"/hostile.html": page, "/attacks.js": (HERE / "attacks.js").read_text()}


def attempts(page, url):
    """All of them, and what the page could read; at the end the gateway has handled what has no answer."""
    found = page.run(ATTACKS, url)
    expect(len(found) > len(ASKED_FIRST), "nothing was tried")
    return found


def is_heard(site, name):
    return any(f'"stolen.{name}"' in line for line in site.heard)


def missing(site, found):
    """Beacons go out when the browser gets round to it."""
    return [name for name in found if name not in ASKED_FIRST and not is_heard(site, name)]


def check_that_they_can(page, site):
    """A server that lets in everybody hears all of them: else nothing would be shown by a gateway that hears none."""
    with contextlib.closing(Site(is_open=True)) as careless:
        page.open(site.origin("evil.test") + "/hostile.html")
        found = attempts(page, careless.origin("127.0.0.1"))
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (names := missing(careless, found)) and time.monotonic() < deadline:
            time.sleep(0.05)
        expect(not names, f"nobody heard of {names}")
        for name in ASKED_FIRST:
            expect(not is_heard(careless, name), f"{name} is sent before it is allowed")
    return len(found)


class Honest:
    """A program of the same user, whose work nobody takes back."""

    def __init__(self, gateway, upstream):
        self.caller = Caller(gateway.address)
        self.caller.send("work", {"q": "honest"}, "honest")
        self.request = upstream.take("honest")
        self.upstream = upstream

    def expect_untouched(self):
        """What has come to the gateway before this has been handled behind it."""
        found = self.caller.reply(self.caller.send("lastword.inspect", {"key": "honest"}))["result"]["count"]
        expect(found == 1, "a page took back what a program had asked")
        self.upstream.expect_silence()


def check_unnamed(page, gateway, upstream, ways):
    """Each way is a page's origin, and the name by which it looks for the gateway."""
    honest = Honest(gateway, upstream)
    port = gateway.address.rsplit(":", 1)[1]
    for origin, host in ways:
        page.open(origin + "/hostile.html")
        found = attempts(page, f"http://{host}:{port}")
        read = {name: value for name, value in found.items() if value is not None}
        expect(not read, f"{origin} read {read} at {host}")
        honest.expect_untouched()
    # Beacons have all gone out when the browser has no page any more that could send them.
    page.open("about:blank")
    honest.expect_untouched()


def check_named(page, site, gateway, upstream):
    """The same page, where the configuration names it: JSON and WebSockets come, and are read; all else is no JSON."""
    honest = Honest(gateway, upstream)
    page.open(site.origin("evil.test") + "/hostile.html")
    url = f"http://{gateway.address}"
    page.begin(ONE, url, "json")
    upstream.take("json").reply(result="for the page")
    text = page.finish()
    expect('"for the page"' in text and '"cancelled":1' in text, f"a page that is named reads {text!r}")
    page.begin(ONE, url, "socketWithProtocol")
    upstream.take("socketWithProtocol").reply(result="by WebSocket")
    text = page.finish()
    expect('"by WebSocket"' in text, f"a page that is named reads {text!r}")
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        status = page.run(STATUS, url, "POST", "{}", {"Content-Type": kind})
        expect(status == UNSUPPORTED, f"{kind} is answered {status}")
    # Who may come may take back as any client may.
    upstream.expect_cancelled(honest.request)
    upstream.expect_silence()


def check_all_named(page, site, gateway, upstream):
    """Of all that a page which is named can try, what is JSON by POST or WebSocket reaches upstream, and nothing else."""
    heard = []

    def answer():
        while request := upstream.requests.get():
            heard.append(request.query)
            request.answer()
    answering = threading.Thread(target=answer, daemon=True)
    answering.start()
    page.open(site.origin("evil.test") + "/hostile.html")
    found = attempts(page, f"http://{gateway.address}")
    # Beacons have all gone out when the browser has no page any more that could send them.
    page.open("about:blank")
    caller = Caller(gateway.address)
    caller.reply(caller.send("lastword.ping", []))
    upstream.requests.put(None)
    answering.join(PATIENCE_SECONDS)
    expect(sorted(heard) == sorted(TAKEN), f"upstream heard {heard}")
    for name in TAKEN:
        expect(found[name] and f'"q":"{name}"' in found[name].replace(" ", ""), f"{name} read {found[name]!r}")


def check_rebound(page, directory, upstream):
    """A page whose own name is made to lead to the gateway: to the browser it is the page's own server."""
    with contextlib.closing(Site(pages())) as site:
        port = site.port
        page.open(site.origin("rebound.test") + "/hostile.html")
        page.run("window.attacks = (await import('/attacks.js')).attacks; return null;")
    with killing(configured(directory, upstream, "rebound", address=f"127.0.0.1:{port}")) as gateway:
        honest = Honest(gateway, upstream)
        for method in ("GET", "POST"):
            body = None if method == "GET" else '{"jsonrpc":"2.0","id":1,"method":"stolen","params":{"q":"rebound"}}'
            status = page.run(STATUS, "/", method, body, {"Content-Type": "application/json"})
            expect(status == MISDIRECTED, f"{method} is answered {status}")
        names = page.run("return Object.keys(window.attacks)")
        for name in names:
            read = page.run("return window.attacks[words[1]](words[0], words[1])", f"http://rebound.test:{port}", name)
            expect(read is None or "-32600" in read and "stolen" not in read, f"{name} read {read!r}")
        honest.expect_untouched()
        page.open("about:blank")
        honest.expect_untouched()


def main(directory):
    with contextlib.ExitStack() as opened:
        page = Page(directory)
        opened.callback(page.close)
        site = opened.enter_context(contextlib.closing(Site(pages())))
        upstream = opened.enter_context(contextlib.closing(Server()))
        count = check_that_they_can(page, site)
        evil = site.origin("evil.test")
        with killing(configured(directory, upstream, "plain")) as gateway:
            ways = [(evil, host) for host in ("127.0.0.1", "localhost", "rebound.test")]
            # A page of another port of this machine is no better.
            ways += [(site.origin(name), name) for name in ("127.0.0.1", "localhost")]
            check_unnamed(page, gateway, upstream, ways)
        with killing(configured(directory, upstream, "other", f'origins = {quoted(["https://good.test"])}')) as gateway:
            check_unnamed(page, gateway, upstream, [(evil, "127.0.0.1")])
        with killing(configured(directory, upstream, "named", f"origins = {quoted([evil])}")) as gateway:
            check_named(page, site, gateway, upstream)
            check_all_named(page, site, gateway, upstream)
        check_rebound(page, directory, upstream)
    print(f"{count} ways of a page to reach a gateway that does not name it: none does")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except AssertionError as error:
        sys.exit(f"error: {error}")
