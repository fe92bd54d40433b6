"""What a shell offers at a TAB: bash and zsh are typed into at a terminal, fish is asked by its own `complete -C`.

Each shell is started anew, without anybody's settings, and reads the completion script that it is given.
"""

import os
import pty
import re
import select
import shlex
import signal
import subprocess
import tempfile
import time

WATCHDOG_SECONDS = 30
LIMIT_OUTPUT_BYTES = 1 << 20
INSERT, TELL = "\x14", "\x19"

BASH = r"""
PS1= PS2= HISTFILE=
bind 'set completion-query-items 0' 'set show-all-if-ambiguous on' 2>/dev/null
bind '"\C-t": insert-completions'
tell() { printf '%s\n.\n' "$READLINE_LINE" >>"$TOLD"; READLINE_LINE= READLINE_POINT=0; }
bind -x '"\C-y": tell'
source "$SCRIPT"
printf 'begun\n.\n' >>"$TOLD"
"""

ZSH = r"""
PS1= RPS1= HISTFILE=
autoload -Uz compinit && compinit -u -D
source "$SCRIPT"
insert_all() { _main_complete; compstate[insert]=all compstate[list]= }
zle -C insert-all complete-word insert_all
tell() { print -r -- "$BUFFER" >>"$TOLD"; print . >>"$TOLD"; BUFFER= }
zle -N tell
bindkey '^T' insert-all
bindkey '^Y' tell
print 'begun\n.' >>"$TOLD"
"""


class Terminal:
    """A shell at a terminal of its own, which tells by a file what stands on its line."""

    def __init__(self, words, setup, script, directory):
        self.home = tempfile.TemporaryDirectory()
        self.told = os.path.join(self.home.name, "told")
        start = os.path.join(self.home.name, "start")
        with open(start, "w") as file:
            file.write(setup)
        open(self.told, "w").close()
        environment = {"PATH": os.environ["PATH"], "HOME": self.home.name, "TERM": "dumb", "LC_ALL": "C.UTF-8",
                       "TOLD": self.told, "SCRIPT": os.path.abspath(script)}
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.chdir(directory)
            os.execvpe(words[0], words, environment)
        self.type(f" source {shlex.quote(start)}\n")
        self.next_told("begun")

    def type(self, text):
        os.write(self.terminal, text.encode())

    def next_told(self, question):
        """What the shell tells next; what it shows meanwhile is read so that it is not held up."""
        end = time.monotonic() + WATCHDOG_SECONDS
        shown = b""
        while time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.01)[0]:
                try:
                    shown = (shown + os.read(self.terminal, 65536))[-LIMIT_OUTPUT_BYTES:]
                except OSError:
                    break
            with open(self.told) as file:
                text = file.read()
            if text.endswith("\n.\n"):
                open(self.told, "w").close()
                return text[:-3]
        raise TimeoutError(f"nothing came of {question!r}; the terminal shows {shown[-2000:]!r}")

    def offered(self, line):
        self.type(line + INSERT + TELL)
        told = self.next_told(line)
        # What was offered stands where the last word was, word after word.
        kept = line[: len(line) - len(re.search(r"\S*$", line)[0])]
        if told == line or not told.startswith(kept):
            return set()
        return set(shlex.split(told[len(kept):]))

    def close(self):
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        os.close(self.terminal)
        self.home.cleanup()


class Bash(Terminal):
    def __init__(self, script, directory):
        super().__init__(["bash", "--noprofile", "--norc", "-i"], BASH, script, directory)


class Zsh(Terminal):
    def __init__(self, script, directory):
        super().__init__(["zsh", "-f", "-i"], ZSH, script, directory)


class Fish:
    def __init__(self, script, directory):
        self.script, self.directory = os.path.abspath(script), directory
        self.home = tempfile.TemporaryDirectory()

    def offered(self, line):
        environment = {"PATH": os.environ["PATH"], "HOME": self.home.name, "LC_ALL": "C.UTF-8",
                       "SCRIPT": self.script, "LINE": line}
        answer = subprocess.run(
            ["fish", "--no-config", "-c", 'source $SCRIPT; and complete -C "$LINE"'], cwd=self.directory,
            env=environment, capture_output=True, text=True, timeout=WATCHDOG_SECONDS)
        return {row.split("\t")[0] for row in answer.stdout.splitlines()}

    def close(self):
        self.home.cleanup()


SHELLS = {"bash": Bash, "zsh": Zsh, "fish": Fish}
