"""Sites in a browser, each under a name of its own, and what they find: a gateway, or a server that lets all in."""
import contextlib
import http.server
import json
import pathlib
import socket
import sys
import threading
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "Page"), str(HERE.parent / "Clients")]
from browser import PATIENCE_SECONDS, Browser  # noqa: E402
from caller import Caller  # noqa: E402,F401
from typeahead import Gateway, Server, expect, take  # noqa: E402,F401

LIBRARY = HERE.parents[1] / "examples/clients/browser"
# Names under .test are nobody's (RFC 6761); all of them lead here.
ARGUMENTS = ("--host-resolver-rules=MAP *.test 127.0.0.1",)
KINDS = {".html": "text/html", ".js": "text/javascript"}


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers from memory, and keeps what was asked."""

    protocol_version = "HTTP/1.1"
    # A browser opens connections that it may need, and sends nothing.
    timeout = PATIENCE_SECONDS

    def serve(self):
        path, _, query = self.path.partition("?")
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.heard.append(urllib.parse.unquote_plus(f"{self.command} {self.path} {content.decode()}"))
        if path == "/redirect":
            return self.answer(307, b"", Location=urllib.parse.unquote(query))
        found = self.server.pages.get(path)
        if found is None:
            return self.answer(200 if self.server.is_open else 404, b"null")
        return self.answer(200, found, **{"Content-Type": f"{KINDS[pathlib.Path(path).suffix]}; charset=utf-8"})

    do_GET = do_POST = do_OPTIONS = serve

    def answer(self, status, content, **fields):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), "Cache-Control": "no-store", **fields}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


class Site(http.server.ThreadingHTTPServer):
    """Pages by their paths; an open one answers whatever it is asked."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, pages=(), is_open=False):
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages = {path: text.encode() for path, text in dict(pages).items()}
        self.is_open, self.heard = is_open, []
        self.port, self.connections = self.server_address[1], []
        self.thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self.thread.start()

    def origin(self, name):
        return f"http://{name}:{self.port}"

    def get_request(self):
        request = super().get_request()
        self.connections.append(request[0])
        return request

    def close(self):
        self.shutdown()
        for connection in self.connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self.server_close()
        self.thread.join(PATIENCE_SECONDS)

    def handle_error(self, *_):
        # Whoever goes away in the middle is no fault of this.
        pass


class Page:
    """A window that goes from page to page."""

    def __init__(self, directory, *arguments):
        self.browser = Browser("about:blank", directory, arguments=(*ARGUMENTS, *arguments))
        self.browser.driver.set_script_timeout(PATIENCE_SECONDS)

    def open(self, url):
        self.browser.driver.get(url)

    def run(self, text, *arguments):
        """What a function of JavaScript with that body, which may wait, returns with these arguments."""
        words = [f"const given = [...arguments], done = given.pop();"
                 f"(async (...words) => {{ {text} }})(...given).then((value) => done([value ?? null]),"
                 f"(error) => done([null, String(error?.stack ?? error)]));"]
        value, *wrong = self.browser.driver.execute_async_script(*words, *arguments)
        expect(not wrong, f"{text}: {wrong}")
        return value

    def begin(self, text, *arguments):
        """As `run`, whose outcome `finish` waits for."""
        self.browser.driver.execute_script(
            f"window.begun = (async (...words) => {{ {text} }})(...arguments); window.begun.catch(() => {{}});",
            *arguments)

    def finish(self):
        return self.run("return window.begun")

    def close(self):
        self.browser.close()


def configured(directory, upstream, name, *lines, address="127.0.0.1:0"):
    """A gateway in front of an upstream, whose configuration has those lines in its listener, and below it."""
    path = pathlib.Path(directory, f"{name}.toml")
    path.write_text("\n".join(["[[listen]]", f'address = "{address}"', *lines, ""]))
    return Gateway("--config", str(path), "--upstream", f"tcp:{upstream.address}", listen=None)


@contextlib.contextmanager
def killing(gateway):
    try:
        yield gateway
    finally:
        gateway.kill()


def quoted(values):
    return json.dumps(values)
