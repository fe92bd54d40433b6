"""One session with one server: directly, or through a gateway."""
import os
import pathlib
import shutil
import sys

from judge import SUPERSEDED_METHODS, Judgement, expect_same_end
from link import PATIENCE_SECONDS, Link

FAULTY = pathlib.Path(__file__).with_name("faulty.py")


def faulty(name, wire, letters):
    """The words before a command that do one thing wrong."""
    return [sys.executable, "-B", str(FAULTY), name, wire.__name__.lower(), str(letters)]


class Stage:
    """A directory in which each session finds the same."""

    def __init__(self, base, programs):
        self.record, self.work, self.home = (base / name for name in ("record", "work", "home"))
        self.environment = os.environ | {
            "HOME": str(self.home), "PATH": f"{programs}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1",
            "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
        self.home.mkdir(exist_ok=True)

    def lay(self, server):
        for directory in (self.record, self.work):
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir()
        if server.prepare:
            server.prepare(self.work)


class Play:
    """What came of a session: its stable answers, and what was counted. Raises `Trouble` where something is wrong."""

    def __init__(self, stage, server, gateway, patience_seconds=PATIENCE_SECONDS):
        stage.lay(server)
        session = server.session(server, stage.work)
        wire = session.wire
        link = Link(gateway, server.command, wire, stage.record, session.answer_to, patience_seconds,
                    cwd=stage.work, env=stage.environment)
        try:
            session.play(link)
            status = link.finish()
        finally:
            link.close()
        judgement = Judgement(link.log, stage.record, wire, bool(gateway),
                              SUPERSEDED_METHODS if gateway and wire.has_routes else (), server.hangs_up)
        expect_same_end(stage.record, status, (stage.record / "errors").read_bytes())
        self.answers, self.version, self.status = session.answers, session.version_of_server, status
        self.counts = judgement.count()
