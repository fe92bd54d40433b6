"""Holds the completion scripts against what the program says of itself, in the real shells.

usage: completions.py BINARY             every shell, and that the check finds faults
       completions.py BINARY DIRECTORY   scripts that are installed there: DIRECTORY/{bash,zsh,fish}
"""

import json
import os
import subprocess
import sys
import tempfile

from shells import SHELLS

POLICIES = {"cancel", "cancelAndWait", "wait", "concurrent", "preferPrevious", "keepLatest", "onAnswer"}
FILES = ["main.toml", "run.json", "page.html", "series.csv", "notes.txt", "logs/more.toml"]

# What is typed, and what is offered then: directories with or without a slash at their end.
VALUES = [
    ("lastword serve --l", {"--listen", "--log-level", "--log-format"}),
    ("lastword serve --listen ", {"127.0.0.1:5278"}),
    ("lastword serve --listen 127.0.0.1:5", {"127.0.0.1:5278"}),
    ("lastword serve --admin ", {"127.0.0.1:5279"}),
    ("lastword serve --cancel ", {"lsp", "mcp", "none"}),
    ("lastword serve --framing ", {"lines", "content-length"}),
    ("lastword serve --log-format ", {"auto", "text", "json"}),
    ("lastword serve --log-level w", {"warning"}),
    ("lastword serve --config ", {"main.toml", "logs"}),
    ("lastword serve --config logs/", {"logs/more.toml"}),
    ("lastword serve --demo-directory ", {"logs"}),
    ("lastword serve --seed ", set()),
    # Behind an address everything goes on as before it.
    ("lastword serve --listen 127.0.0.1:5278 --upstream tcp:127.0.0.1:9000 --fr", {"--framing"}),
    ("lastword serve --upstream tcp:127.0.0.1:9000 --cancel m", {"mcp"}),
    ("lastword serve --listen unix:/tmp/a --admin [::1]:5279 --cancel m", {"mcp"}),
    ("lastword serve --upstream 'exec:python3 -u server.py' --fr", {"--framing"}),
    ("lastword serve --compensate lock=unlock --fr", {"--framing"}),
    # Before and around it stands what has nothing to do with it.
    ("true a:b && LASTWORD_LISTEN=127.0.0.1:1 lastword serve --admin 127.0.0.1:52", {"127.0.0.1:5279"}),
    ("lastword config example | lastword serve --fr", {"--framing"}),
    ("lastword call lastword.", {
        "lastword.authenticate", "lastword.call", "lastword.cancel", "lastword.inspect", "lastword.ping"}),
    ("lastword call --to 127.0.0.1:5278 e", {"echo"}),
    ("lastword call echo --policy ", POLICIES),
    ("lastword call echo --policy k", {"keepLatest"}),
    ("lastword config check ", {"main.toml", "logs"}),
    ("lastword config show --config m", {"main.toml"}),
    ("lastword demo ", {"logs"}),
    ("lastword health --address ", {"127.0.0.1:5278"}),
    ("lastword load --behaviour s", {"slow", "stubborn"}),
    ("lastword load --workload ", {"uniform", "zipf:1.1", "typing"}),
    ("lastword load --json ", {"run.json", "logs"}),
    ("lastword load --csv ", {"series.csv", "logs"}),
    ("lastword load --html ", {"page.html", "logs"}),
    ("lastword load --policy pre", {"preferPrevious"}),
    ("lastword load compare ", {"run.json", "logs"}),
    ("lastword load compare run.json --with ", {"run.json", "logs"}),
    ("lastword wrap --log-level e", {"error"}),
    ("lastword wrap -- n", {"notes.txt"}),
]


def commands(command, words=()):
    """The words of each command that is shown, with its parts."""
    words = (*words, command["commandName"])
    yield " ".join(words), command
    for part in command.get("subcommands", []):
        if part["shouldDisplay"]:
            yield from commands(part, words)


def names(command):
    return {f"--{name['name']}" for argument in command.get("arguments", []) if argument["shouldDisplay"]
            for name in argument.get("names", []) if name["kind"] == "long"}


def expectations(root):
    for line, command in commands(root):
        parts = {part["commandName"] for part in command.get("subcommands", []) if part["shouldDisplay"]}
        if parts:
            yield line + " ", parts, False
        if names(command):
            yield line + " --", names(command), True
    for line, offered in VALUES:
        yield line, offered, True


def complaints(shell, script, root, directory):
    """Where the shell offers other things than it should, one after the other."""
    running = SHELLS[shell](script, directory)
    try:
        for line, expected, is_all in expectations(root):
            offered = {word.removesuffix("/") if word.removesuffix("/") in expected else word
                       for word in running.offered(line)}
            if not expected <= offered or is_all and offered != expected:
                yield f"{shell}: {line!r}: {sorted(offered)} instead of {sorted(expected)}"
    except TimeoutError as error:
        yield f"{shell}: {error}"
    finally:
        running.close()


# Each is a script that somebody could come by, or a mistake that somebody could make.
FAULTS = {
    "the second half is missing": lambda text: text[:len(text) // 2],
    "the end is missing": lambda text: text[:text.rstrip().rindex("\n")],
    "an option is missing": lambda text: text.replace("drain-ms", "drain"),
    "a command is missing": lambda text: text.replace("simulate", "simulation"),
    "a value is missing": lambda text: text.replace("keepLatest", "keep"),
    "other files are offered": lambda text: text.replace("toml", "yaml"),
    "an address is cut": lambda text: text.replace(":5278", "").replace(r"\:5278", ""),
}


def fault_is_found(shell, script, fault, root, directory):
    with open(script) as file:
        text = file.read()
    broken = FAULTS[fault](text)
    assert broken != text, f"{shell}: {fault}: there is nothing to break"
    with tempfile.NamedTemporaryFile("w", prefix="_lastword") as file:
        file.write(broken)
        file.flush()
        return next(complaints(shell, file.name, root, directory), None) is not None


def output(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def generated(binary, shell, directory):
    path = os.path.join(directory, shell)
    with open(path, "w") as file:
        file.write(output(binary, "--generate-completion-script", shell))
    return path


def main(binary, installed=None):
    root = json.loads(output(binary, "--experimental-dump-help"))["command"]
    failed = False
    with tempfile.TemporaryDirectory() as scripts, tempfile.TemporaryDirectory() as files:
        for name in FILES:
            os.makedirs(os.path.dirname(os.path.join(files, name)), exist_ok=True)
            open(os.path.join(files, name), "w").close()
        for shell in SHELLS:
            script = os.path.join(installed, shell) if installed else generated(binary, shell, scripts)
            found = list(complaints(shell, script, root, files))
            missed = [] if installed or found else [
                f"{shell}: not found: {fault}" for fault in FAULTS
                if not fault_is_found(shell, script, fault, root, files)]
            for complaint in found + missed:
                print("error:", complaint)
            failed = failed or bool(found + missed)
    count = sum(1 for _ in expectations(root))
    faults = "" if installed else f", {len(FAULTS)} deliberate faults found in each"
    print(f"detail: {count} lines in {', '.join(SHELLS)}{faults}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
