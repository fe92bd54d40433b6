#!/usr/bin/env python3
"""Holds examples/clients/browser/lastword.js in a browser. Started by scripts/browser.

    python3 library.py DIRECTORY

LASTWORD_BINARY names the gateway, CHROMIUM and CHROMEDRIVER the browser. DIRECTORY is for files.
"""
import base64
import contextlib
import hashlib
import pathlib
import re
import subprocess
import sys
import urllib.parse

from sites import HERE, LIBRARY, PATIENCE_SECONDS, Page, Server, Site, configured, expect, killing, quoted, take
from selenium.webdriver.common.by import By

TOKEN = "lw_only-for-the-page-0123456789abcdef"
BLOCK = re.compile(r"```html\n(.*?)```", re.DOTALL)
README_ADDRESS = "ws://127.0.0.1:5278"


class Box:
    """A page with a search box, from a site of its own, and the gateway behind it."""

    def __init__(self, page, site, scheme, gateway, token=None):
        self.page, self.browser = page, page.browser
        words = {"url": f"{scheme}://{gateway.address}", **({"token": token} if token else {})}
        page.open(f"{site.origin('app.test')}/box.html?{urllib.parse.urlencode(words)}")
        self.browser.wait_for("the page is there", "window.fate !== undefined")
        self.field = self.browser.find("#box")

    def shown(self):
        return self.browser.ask("window.shown")

    def await_shown(self, *values):
        self.browser.wait(f"{values} are shown", lambda: len(self.shown()) >= len(values))
        expect(self.shown() == list(values), f"{self.shown()} is shown, not {values}")

    def await_state(self, state):
        self.browser.wait_for(f"it is {state}", f"window.client.state === '{state}'")

    def ping(self):
        """What has come before it has been handled."""
        self.page.run("await window.client.request('lastword.ping')")


def check_typing(box, upstream):
    """All of it is asked, and the newest is shown, whatever is answered."""
    box.field.send_keys("s")
    older = upstream.take("s")
    box.field.send_keys("w")
    newer = upstream.take("sw")
    upstream.expect_cancelled(older)
    newer.reply(result="sw!")
    older.reply(result="stale")
    box.await_shown("sw!")
    # Fast: what is behind it is known by its answer.
    box.field.send_keys("ift")
    requests = {}
    while "swift" not in requests:
        request = upstream.requests.get(timeout=PATIENCE_SECONDS)
        requests[request.query] = request
    for request in reversed(requests.values()):
        request.reply(result=f"{request.query}!")
    box.await_shown("sw!", "swift!")
    box.ping()
    box.await_shown("sw!", "swift!")
    expect(box.browser.find("#shown").text == "swift!", "the page shows something else")
    while not upstream.cancelled.empty():
        upstream.cancelled.get()


def check_overtaking(box, upstream):
    """Requests that leave at once may arrive in any order; whoever arrives last, the newest is answered."""
    count = 8
    box.page.begin(f"return Promise.all(Array.from({{ length: {count} }}, (_, place) => "
                   "fate(client.request('search', { q: place }, { key: 'o' }))))")
    while (request := take(upstream.requests, "a request")).query != count - 1:
        request.reply(result="stale")
    request.reply(result="newest")
    found = box.page.finish()
    expect(found[-1].get("result") == "newest", f"the newest is {found[-1]}")
    expect(all(fate.get("kind") == "SupersededError" or fate.get("result") == "stale" for fate in found[:-1]),
           f"the older are {found}")
    expect(upstream.requests.empty(), "upstream was asked for an older one behind the newest")
    while not upstream.cancelled.empty():
        upstream.cancelled.get()


def check_signals(box, upstream):
    box.page.begin("window.abort = new AbortController();"
                   "return fate(client.request('search', { q: 'long' }, { signal: abort.signal }))")
    request = upstream.take("long")
    box.page.run("abort.abort(new RangeError('enough'))")
    found = box.page.finish()
    expect((found["kind"], found["message"]) == ("RangeError", "enough"), f"what is taken back is {found}")
    upstream.expect_cancelled(request)


def check_errors(box, upstream):
    box.page.begin("return fate(client.request('search', { q: 'old' }, { key: 'k' }))")
    old = upstream.take("old")
    box.page.run("window.newer = client.request('search', { q: 'new' }, { key: 'k' }); return null")
    found = box.page.finish()
    expect((found["kind"], found["code"], found["mayHaveRun"]) == ("SupersededError", -32080, True), f"it is {found}")
    upstream.expect_cancelled(old)
    upstream.take("new").reply(result="new!")
    expect(box.page.run("return newer") == "new!", "the newer one has another answer")
    box.page.begin("return fate(client.request('search', { q: 'slow' }, { timeoutMs: 50 }))")
    slow = upstream.take("slow")
    expect(box.page.finish()["kind"] == "TimeoutError", "its time does not pass")
    upstream.expect_cancelled(slow)


def check_killed(box, upstream, gateway, start):
    """What is open is lost with the gateway; the next one is found, and asked."""
    shown = box.shown()
    box.page.begin("return fate(client.request('search', { q: 'lost' }))")
    upstream.take("lost")
    gateway.kill()
    found = box.page.finish()
    expect((found["kind"], found["mayHaveRun"]) == ("ConnectionLostError", True), f"what is lost is {found}")
    expect("offline" in box.browser.ask("window.states"), "the page does not know that it is offline")
    with killing(start(gateway.address)):
        box.browser.wait_for("a gateway is found again",
                             "(client.request('lastword.ping').catch(() => {}), client.state === 'online')")
        box.field.send_keys("!")
        upstream.take("swift!").reply(result="again")
        box.await_shown(*shown, "again")
        box.page.run("client.close()")


def check_tokens(page, site, scheme, upstream, gateway):
    box = Box(page, site, scheme, gateway, TOKEN)
    box.field.send_keys("x")
    upstream.take("x").reply(result="for ada")
    box.await_shown("for ada")
    box = Box(page, site, scheme, gateway, "lw_wrong")
    found = page.run("return fate(client.request('search', { q: 'stolen' }))")
    expect((found["kind"], found["code"]) == ("RPCError", -32087), f"a wrong token is answered {found}")
    if scheme == "ws":
        box.await_state("refused")
    upstream.expect_silence()


def check_elsewhere(page, site, scheme, upstream, gateway):
    """A page of an origin that is not named gets nothing."""
    page.open(f"{site.origin('evil.test')}/box.html?url={scheme}://{gateway.address}")
    page.browser.wait_for("the page is there", "window.fate !== undefined")
    found = page.run("return fate(client.request('search', { q: 'stolen' }))")
    expect(found["kind"] == "ConnectionLostError", f"it is answered {found}")
    upstream.expect_silence()


def check_readme(page, site, upstream, gateway):
    page.open(site.origin("app.test") + "/readme.html")
    field = page.browser.driver.find_element(By.CSS_SELECTOR, "input")
    field.send_keys("a")
    upstream.take("a").reply(result="from the README")
    page.browser.wait("it is shown", lambda: "from the README" in page.browser.find("body").text)


def check_secure(page, site, scheme, upstream, gateway):
    """Under TLS the browser chooses HTTP by ALPN, and a WebSocket comes about inside."""
    box = Box(page, site, scheme, gateway)
    box.field.send_keys("t")
    upstream.take("t").reply(result="under TLS")
    box.await_shown("under TLS")


def certificate(directory):
    """Files of a certificate for this machine and its key, and the hash of the key by which the browser trusts it."""
    certificate, key = (str(pathlib.Path(directory, name)) for name in ("page.pem", "page.key"))

    def openssl(*words, data=None):
        return subprocess.run(["openssl", *words], input=data, check=True, capture_output=True).stdout

    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
            "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-out", certificate, "-keyout", key)
    public = openssl("x509", "-in", certificate, "-pubkey", "-noout")
    der = openssl("pkey", "-pubin", "-outform", "der", data=public)
    return certificate, key, base64.b64encode(hashlib.sha256(der).digest()).decode()


def main(directory):
    digest = hashlib.sha256(TOKEN.encode()).hexdigest()
    principal = ["[[principal]]", 'name = "ada"', f'tokens = ["sha256:{digest}"]']
    example = BLOCK.search((LIBRARY / "README.md").read_text())[1]
    expect(README_ADDRESS in example, "the README's page asks another address")
    with contextlib.ExitStack() as opened:
        certificate_file, key_file, key_hash = certificate(directory)
        page = Page(directory, f"--ignore-certificate-errors-spki-list={key_hash}")
        opened.callback(page.close)
        files = {"/box.html": (HERE / "box.html").read_text(), "/lastword.js": (LIBRARY / "lastword.js").read_text()}
        site = opened.enter_context(contextlib.closing(Site(files)))
        origins = f"origins = {quoted([site.origin('app.test')])}"
        upstream = opened.enter_context(contextlib.closing(Server()))
        for scheme in ("ws", "http"):
            def start(address="127.0.0.1:0"):
                return configured(directory, upstream, "named", origins, address=address)
            with killing(start()) as gateway:
                check_elsewhere(page, site, scheme, upstream, gateway)
                site.pages["/readme.html"] = example.replace(README_ADDRESS, f"{scheme}://{gateway.address}").encode()
                check_readme(page, site, upstream, gateway)
                box = Box(page, site, scheme, gateway)
                check_typing(box, upstream)
                check_overtaking(box, upstream)
                check_signals(box, upstream)
                check_errors(box, upstream)
                check_killed(box, upstream, gateway, start)
            asking = [origins, 'auth = "required"', *principal]
            with killing(configured(directory, upstream, "known", *asking)) as gateway:
                check_tokens(page, site, scheme, upstream, gateway)
        secure = [origins, f"tls = {{ certificate = {quoted(certificate_file)}, key = {quoted(key_file)} }}"]
        with killing(configured(directory, upstream, "secure", *secure)) as gateway:
            for scheme in ("wss", "https"):
                check_secure(page, site, scheme, upstream, gateway)
        errors = [line for line in page.browser.complaints() if "Uncaught" in line]
        expect(not errors, f"the page complains: {errors}")
    print("lastword.js in a browser, by WebSocket and by POST: typing, signals, errors, a gateway that goes, tokens, TLS")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except AssertionError as error:
        sys.exit(f"error: {error}")
