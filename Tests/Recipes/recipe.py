"""A recipe of examples/recipes, followed as its README says, in a copy of its directory."""
import contextlib
import os
import pathlib
import queue
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "Faults"))
from share import share  # noqa: E402

PATIENCE_SECONDS = 60
REPOSITORY = pathlib.Path(__file__).parents[2]
LISTEN = re.compile(r'^\[\[listen\]\]\naddress = "([\d.:]+)"', re.MULTILINE)
ADDRESS = re.compile(r"127\.0\.0\.1:\d+")
GATEWAY = "127.0.0.1:5278"


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def end_group(process):
    """Ends what leads a session of its own, and what it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


class Program:
    """A process of a recipe that stays; what it prints waits in `lines`, None behind the last."""

    def __init__(self, words, **others):
        # In a group of its own: it may have children, which end with it.
        self.process = subprocess.Popen(words, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, start_new_session=True, **others)
        self.lines = queue.Queue()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def await_line(self, pattern):
        said = []
        while True:
            try:
                line = self.lines.get(timeout=PATIENCE_SECONDS)
            except queue.Empty:
                line = None
            expect(line is not None, f"{self.process.args} did not say {pattern!r}, but {''.join(said)!r}")
            said.append(line)
            if found := re.search(pattern, line):
                return found

    def end(self):
        end_group(self.process)
        self.reader.join(PATIENCE_SECONDS)
        self.process.stdout.close()


class Recipe(contextlib.ExitStack):
    """The copy of one; what it starts ends with it."""

    def __init__(self, name):
        super().__init__()
        self.directory = pathlib.Path(self.enter_context(tempfile.TemporaryDirectory())) / name
        shutil.copytree(REPOSITORY / "examples/recipes" / name, self.directory,
                        ignore=shutil.ignore_patterns("__pycache__"))
        programs = self.directory.parent / "bin"
        programs.mkdir()
        (programs / "lastword").symlink_to(pathlib.Path(os.environ["LASTWORD_BINARY"]).resolve())
        self.environment = os.environ | {
            "PATH": f"{programs}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1",
            "LASTWORD_LOG_FORMAT": "text", "HOME": str(self.directory.parent)}
        self.readme = (self.directory / "README.md").read_text()
        self.gateway = GATEWAY

    # MARK: What the README says

    def blocks(self, language):
        """What stands in the fences of a language, without their indentation."""
        found = re.findall(r"^( *)```(\S*)\n(.*?)^ *```$", self.readme, re.DOTALL | re.MULTILINE)
        return [re.sub(rf"^{indentation}", "", text, flags=re.MULTILINE)
                for indentation, name, text in found if name == language]

    def commands(self):
        """Each line that is to be typed, in order."""
        return [line for block in self.blocks("sh") for line in block.splitlines()]

    def edit(self, name, old, new, count=1):
        """Changes a file of the copy."""
        path = self.directory / name
        text = path.read_text()
        expect(text.count(old) == count, f"{old!r} is {text.count(old)} times in {path.name}")
        path.write_text(text.replace(old, new))

    def expect_excerpt(self, name, language):
        """What the README shows of a file is what stands there, but for comments."""
        def bare(text):
            return "\n".join(line for line in text.splitlines() if line and not line.startswith("#"))

        for block in self.blocks(language):
            expect(bare(block) in bare((self.directory / name).read_text()), f"{name} does not say:\n{block}")

    # MARK: What is done

    def run(self, command, status=0):
        """A command that ends; what it printed."""
        if command.startswith("lastword call"):
            command += f" --to {self.gateway}"
        shell = subprocess.Popen(["bash", "-c", command], cwd=self.directory, env=self.environment, text=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 start_new_session=True)
        try:
            output, errors = shell.communicate(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{command}: no end within {PATIENCE_SECONDS} s") from None
        finally:
            end_group(shell)
        expect(shell.returncode == status, f"{command}: status {shell.returncode}\n{output}{errors}")
        return output

    def start(self, command):
        """A command that stays. Where it would listen, it does so on a port of the system's choice; every file and
        command that speaks of the one follows to the other."""
        words = shlex.split(command.removesuffix("&"))
        if words[:2] == ["lastword", "serve"]:
            # Not over the environment: that would replace the whole [[listen]].
            file = words[words.index("--config") + 1]
            port, pattern = LISTEN.search((self.directory / file).read_text())[1], rf"Listening for JSON-RPC on ({ADDRESS.pattern})"
            self.edit(file, f'address = "{port}"', 'address = "127.0.0.1:0"')
        else:
            port, pattern = ADDRESS.search(command)[0], rf"({ADDRESS.pattern})"
            words = [word.replace(port, "127.0.0.1:0") for word in words]
        program = Program(words, cwd=self.directory, env=self.environment)
        self.callback(program.end)
        program.at = program.await_line(pattern)[1]
        self.move(port, program.at)
        if words[:2] == ["lastword", "serve"]:
            self.gateway = program.at
        return program

    def move(self, old, new):
        for path in self.directory.iterdir():
            if path.suffix in (".toml", ".py", ".md", ".json"):
                path.write_text(path.read_text().replace(old, new))
        self.readme = (self.directory / "README.md").read_text()

    def follow(self):
        """Does every step; gives what the commands that end have printed, behind each of them."""
        for number in range(len(self.commands())):
            # Read anew each time: addresses change on the way.
            command = self.commands()[number]
            if command.endswith("&"):
                self.start(command)
            else:
                yield command, self.run(command)


def expect_fault(what, check):
    """The check has to fail, in its own words."""
    try:
        check()
    except AssertionError as error:
        print(f"-- found: {what}: {str(error).strip().splitlines()[-1]}", flush=True)
        return 1
    raise SystemExit(f"error: it was not found that {what}")


def find_edits(name, faults, check):
    """Each edit in its turn is made in a copy of the recipe, where the check has to fail; how many there are."""
    found = 0
    for what, edit in share(faults):
        with Recipe(name) as recipe:
            recipe.edit(*edit)
            found += expect_fault(what, lambda: check(recipe))
    return found
