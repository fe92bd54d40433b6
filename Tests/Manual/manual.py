"""Holds the manual page against the program's help, and against what mandoc and groff think of it.

usage: manual.py BINARY PAGE    and that the check finds faults
"""

import re
import subprocess
import sys
import tempfile

SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "SIGNALS", "ENVIRONMENT", "FILES", "EXIT STATUS", "EXAMPLES",
            "SEE ALSO"]


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, **options)


def said(binary, *words):
    answer = run(binary, *words)
    assert answer.returncode == 0, f"{words}: status {answer.returncode}"
    return answer.stdout


def helps(binary, *words):
    """The help of each command, by its words."""
    text = said(binary, *words, "--help")
    yield " ".join(["lastword", *words]), text
    below = text.partition("SUBCOMMANDS:\n")[2].partition("\n\n")[0]
    for name in re.findall(r"^  (\S+)", below, re.MULTILINE):
        yield from helps(binary, *words, name.strip())


def shown(page):
    """The page as it is read, and the parts of it by their headings."""
    text = run("mandoc", "-Tutf8", "-Owidth=200", page, check=True).stdout
    text = run("col", "-bx", input=text, check=True).stdout
    parts = re.split(r"^ {0,3}(\S.*)$", text, flags=re.MULTILINE)
    return text, dict(zip(parts[1::2], parts[2::2]))


def complaints(binary, page):
    """What is wrong with the page."""
    for words in (["mandoc", "-Tlint", "-Wwarning", page], ["groff", "-ww", "-z", "-mdoc", "-k", page]):
        answer = run(*words)
        yield from (answer.stdout + answer.stderr).splitlines()
    text, parts = shown(page)
    yield from (f"no section {name}" for name in SECTIONS if name not in parts)
    if said(binary, "--version").splitlines()[0] not in text:
        yield "it does not say of which version it is"
    everywhere = set(re.findall(r"--[\w-]+", parts.get("DESCRIPTION", "")))
    for command, help_text in helps(binary):
        if command != "lastword" and command not in parts:
            yield f"no part about {command}"
            continue
        # A command's own part, and that of the one whose options it takes, too.
        own = parts.get(command, "")
        if "takes the options of" in own:
            own += parts[command.rpartition(" ")[0]]
        listed = set(re.findall(r"^ {5}(?:-\w, )?(--[\w-]+)", own, re.MULTILINE)) | everywhere
        usual = help_text.partition("OPTIONS:\n")[2].partition("\n\n")[0]
        for option in re.findall(r"^  (?:-\w, )?(--[\w-]+)", usual, re.MULTILINE):
            if option not in listed:
                yield f"{command}: no {option}"
    for variable in {"LASTWORD_CONFIG", "HOST, PORT", *re.findall(r"\bLASTWORD_\w+", said(binary, "config", "example"))}:
        if not re.search(rf"^ {{5}}{variable}$", text, re.MULTILINE):
            yield f"no variable {variable}"
    statuses = parts.get("EXIT STATUS", "")
    for status in ["0", "64", "65", "69", "71", "73", "74", "75", "77", "78", "130", "143"]:
        if not re.search(rf"^ {{5}}(\d+, )?{status}\b", statuses, re.MULTILINE):
            yield f"no exit status {status}"


# Mistakes of whoever changes what makes the page, or the program.
FAULTS = {
    "the second half is missing": lambda text: text[:len(text) // 2],
    "an option is missing": lambda text: text.replace(".It Fl \\-drain-ms", ".It Fl \\-drain"),
    "an option is another command's": lambda text: text.replace(".It Fl \\-raw\n", ".It Fl \\-mcp\n"),
    "a command is missing": lambda text: text.replace(".Ss lastword simulate", ".Ss lastword simulation"),
    "a variable is missing": lambda text: text.replace(".It Ev LASTWORD_LOG_LEVEL", ".It Ev LASTWORD_LEVEL"),
    "a status is missing": lambda text: text.replace(".It Li 77", ".It Li 79"),
    "a list has no end": lambda text: text.replace(".El\n", "", 1),
    "a macro is none": lambda text: text.replace(".Ss ", ".Sx2 ", 1),
    "a section is missing": lambda text: text.replace(".Sh SIGNALS\n", ""),
}


def fault_is_found(binary, text, fault):
    broken = FAULTS[fault](text)
    assert broken != text, f"{fault}: there is nothing to break"
    with tempfile.NamedTemporaryFile("w", suffix=".1") as file:
        file.write(broken)
        file.flush()
        return next(complaints(binary, file.name), None) is not None


def main(binary, page):
    with open(page) as file:
        text = file.read()
    wrong = list(complaints(binary, page))
    if not wrong:
        wrong = [f"not found: {fault}" for fault in FAULTS if not fault_is_found(binary, text, fault)]
    for complaint in wrong:
        print("error:", complaint)
    print(f"detail: {len(list(helps(binary)))} commands, {len(FAULTS)} deliberate faults found")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
