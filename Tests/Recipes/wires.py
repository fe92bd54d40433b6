"""What goes over the wires on both sides of a gateway, and what has to hold of it."""
import os
import pathlib
import signal
import sys
import time

from recipe import PATIENCE_SECONDS, REPOSITORY, expect
from recording import Recording

TEE = REPOSITORY / "Tests/Servers/tee.py"
SUPERSEDED = -32801
GLANCE_SECONDS = 0.05


def runs(process):
    try:
        state = pathlib.Path("/proc", str(process), "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "XZ"


class Wires:
    """Recordings between an editor and its gateway, and between that and the server."""

    def __init__(self, directory):
        self.editor, self.server = directory / "editor", directory / "server"

    def words(self, gateway, server):
        """The command of an editor, whose messages are recorded on both sides of the gateway."""
        for side in (self.editor, self.server):
            side.mkdir()
        tee = [sys.executable, str(TEE)]
        return [*tee, str(self.editor), *gateway, *tee, str(self.server), *server]

    def server_is_ready(self):
        """It has answered something."""
        return any(self.server.glob("*.out")) and any("result" in message for message in Recording(self.server).sent)

    def await_end(self):
        """The gateway and the server follow the editor, which started them in sessions of their own."""
        left = [int(recording.stem) for side in (self.editor, self.server) for recording in side.glob("*.in")]
        deadline = time.monotonic() + PATIENCE_SECONDS
        while left := [process for process in left if runs(process)]:
            if time.monotonic() > deadline:
                for process in left:
                    os.kill(process, signal.SIGKILL)
                raise AssertionError(f"processes {left} stay behind when the editor has gone")
            time.sleep(GLANCE_SECONDS)

    def expect_newest(self, method, superseded_at_least):
        """Each request of the editor has one answer; older ones are silent, and never come behind newer ones."""
        editor, server = Recording(self.editor), Recording(self.server)
        asked, answers = editor.asked(method), editor.answers(method)
        expect(sorted(answer["id"] for answer in answers) == sorted(asked), f"{method}: not one answer for each")
        codes = [answer["error"]["code"] for answer in answers if "error" in answer]
        expect(set(codes) <= {SUPERSEDED}, f"{method}: {codes}")
        expect(len(codes) >= superseded_at_least, f"{method}: of {len(asked)} only {len(codes)} were superseded")
        results = [answer["id"] for answer in answers if "result" in answer]
        expect(results == sorted(results) and results[-1] == asked[-1], f"{method}: {asked} gave {results}")
        # Of those that the server was sent, the superseded were cancelled.
        sent, cancelled = server.asked(method), {heard["params"]["id"] for heard in server.heard("$/cancelRequest")}
        unwanted = [number for number in sent if number in cancelled]
        expect(len(sent) - len(unwanted) <= len(results), f"{method}: the server was not told what is not wanted")
        print(f"{method}: {len(asked)} asked, {len(codes)} superseded; "
              f"the server was sent {len(sent)} and told to cancel {len(unwanted)}", flush=True)
