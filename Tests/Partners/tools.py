"""The servers of the Model Context Protocol, and what is asked of each."""
import contextlib
import dataclasses
import http.server
import os
import pathlib
import subprocess
import threading
import typing

from agent import Agent
from editor import BIG_BYTES

SLOW_TOOL = pathlib.Path(__file__).parents[1] / "Servers/slow_tool.py"
# Seconds that nobody waits for.
LONG = 3600
PAGE = "<html><body><h1>Fetcher</h1><p>Fetches pages of one host: größe, 日本語.</p></body></html>"


@dataclasses.dataclass
class ToolServer:
    """One of them, and what is asked."""

    name: str
    command: list
    # (tool, arguments) whose answers are the same each time.
    calls: list
    # The same of those whose answers are not.
    passing: list = dataclasses.field(default_factory=list)
    # Further requests: (method, params).
    questions: list = dataclasses.field(default_factory=list)
    # (tool, arguments, how many letters the answer has at least)
    long: list = dataclasses.field(default_factory=list)
    # (tool, arguments, whether it reports progress) of what is cancelled.
    endless: tuple = None
    # Makes what it needs in its directory.
    prepare: typing.Callable = None

    session, hangs_up, tells_version = Agent, True, ()


def repository(work):
    """A history that is the same each time, with a file that is changed at great length."""
    environment = os.environ | {"HOME": str(work), "GIT_CONFIG_NOSYSTEM": "1"} | {
        f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "Fetcher"), ("EMAIL", "fetcher@example.org"), ("DATE", "2026-01-02T03:04:05Z"))}

    def git(*words):
        subprocess.run(["git", "-C", str(work), *words], env=environment, check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL)

    git("init", "--initial-branch", "main")
    (work / "page").write_text("one\n")
    git("add", "page")
    git("commit", "--message", "Add a page: größe, 日本語")
    (work / "page").write_text("two\n" + ("x" * 1023 + "\n") * (BIG_BYTES // 1024))


class Pages(http.server.BaseHTTPRequestHandler):
    """A page, and one that never comes."""

    def do_GET(self):
        if self.path == "/never":
            self.server.closing.wait()
            return
        body = PAGE.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def web():
    """The address of a server of those pages."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    server.daemon_threads, server.block_on_close = True, False
    server.closing = threading.Event()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()


def tools(programs, pages):
    """All of them; the directory is that of the programs of PyPI."""
    def pypi(name):
        return str(pathlib.Path(programs, name))

    noon = {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}
    return [
        ToolServer("mcp-server-time", [pypi("mcp-server-time"), "--local-timezone", "UTC"],
                   calls=[("convert_time", noon), ("convert_time", noon | {"target_timezone": "Nowhere"}),
                          ("convert_time", {}), ("no_such_tool", {})],
                   passing=[("get_current_time", {"timezone": "Europe/Berlin"})]),
        ToolServer("mcp-server-git", [pypi("mcp-server-git"), "--repository", "."],
                   calls=[("git_status", {"repo_path": "."}), ("git_log", {"repo_path": "."}),
                          ("git_show", {"repo_path": ".", "revision": "HEAD"}),
                          ("git_branch", {"repo_path": ".", "branch_type": "local"}), ("git_show", {})],
                   long=[("git_diff_unstaged", {"repo_path": "."}, BIG_BYTES)], prepare=repository),
        ToolServer("mcp-server-fetch", [pypi("mcp-server-fetch"), "--ignore-robots-txt"],
                   calls=[("fetch", {"url": f"{pages}/page"}), ("fetch", {"url": f"{pages}/page", "raw": True}),
                          ("fetch", {"url": f"{pages}/page", "max_length": 9}), ("fetch", {"url": "nowhere"})],
                   endless=("fetch", {"url": f"{pages}/never"}, False)),
        ToolServer("mcp", [pypi("python"), str(SLOW_TOOL), "log"],
                   calls=[("slow", {"word": word, "seconds": 0}) for word in ("one", "größe", "日本語")]
                   + [("slow", {}), ("no_such_tool", {})],
                   long=[("slow", {"word": "x" * BIG_BYTES, "seconds": 0}, BIG_BYTES)],
                   endless=("slow", {"word": "endless", "seconds": LONG}, True)),
    ]
