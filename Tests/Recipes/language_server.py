"""Follows examples/recipes/language-server with real editors and python-lsp-server."""
import json
import re
import sys
import tomllib

from neovim import Neovim
from recipe import REPOSITORY, Recipe, expect, expect_fault, share
from wires import Wires

HERE = REPOSITORY / "Tests/Recipes"
COMPLETION, HOVER = "textDocument/completion", "textDocument/hover"
# Each is typed on a line of its own; then this must be offered.
LINES = [("asyncio.get_running_loop().run_in", "run_in_executor"), ("self.parser.add_argument_g", "add_argument_group"),
         ("self.log.getChild(path).war", "warning")]
# What is pointed at, one word after the other, and what is told of the last.
WORDS, TOLD = ["asyncio", "logging", "argparse", "Fetcher"], "Fetches pages of one host."
GATEWAY, SERVER = ["lastword", "wrap", "--"], ["pylsp"]


def quoted(words, mark, between):
    return between.join(f"{mark}{word}{mark}" for word in words)


class Editing:
    """A recipe whose editor has the command that its file says, or one with a fault, and is listened to."""

    def __init__(self, recipe, file, mark, between, gateway):
        self.recipe, self.wires = recipe, Wires(recipe.directory.parent)
        words = self.wires.words(gateway, SERVER)
        recipe.callback(self.wires.await_end)
        recipe.edit(file, quoted(GATEWAY + SERVER, mark, between), quoted(words, mark, between))


# MARK: Neovim


def type_fast(editor, lines):
    """Lines, a letter at a time; the menu shows what fits the last one."""
    for text, name in lines:
        editor.type("<Esc>Go" + " " * 4)
        for letter in text:
            editor.type(letter)
        editor.eventually(f"{name} is offered behind {text}",
                          lambda: any(word.startswith(name) for word in editor.offered()))
        expect(editor.ask("getline('.')").strip() == text, "what was typed is not what stands there")
    editor.type("<Esc>")


def point_fast(editor):
    """At several words, one right after the other."""
    words = ", ".join(f'"{word}"' for word in WORDS)
    editor.do(f"""for _, word in ipairs({{{words}}}) do
          vim.fn.cursor(1, 1)
          vim.fn.search("\\\\<" .. word .. "\\\\>", "cW")
          vim.lsp.buf.hover()
        end""")
    editor.eventually("what the last word is, is told", lambda: TOLD in editor.floating())


def neovim(recipe, gateway, lines=LINES):
    session = Editing(recipe, "init.lua", "'", ", ", gateway)
    [command] = [command for command in recipe.commands() if command.startswith("nvim")]
    editor = Neovim(command, recipe.directory, recipe.environment)
    recipe.callback(editor.end)
    editor.await_listening()
    editor.eventually("the server is ready", session.wires.server_is_ready)
    type_fast(editor, lines)
    point_fast(editor)
    messages = editor.messages()
    expect(not messages, f"Neovim says: {messages}")
    session.wires.expect_newest(COMPLETION, 1)
    session.wires.expect_newest(HOVER, len(WORDS) - 1)


# MARK: Emacs


def emacs(recipe, gateway):
    session = Editing(recipe, "init.el", '"', " ", gateway)
    [command] = [command for command in recipe.commands() if command.startswith("emacs")]
    expect(command == "emacs -l init.el fetcher.py", command)
    printed = recipe.run("emacs --no-init-file --batch --eval '(package-initialize)' -l init.el -l "
                         f"{HERE / 'eglot.el'}")
    shown = json.loads(printed.splitlines()[-1])
    expect(TOLD in shown["told"]["Fetcher"], f"Emacs tells {shown['told']}")
    expect(shown["offered"] == ["run_in_executor"], f"Emacs offers {shown['offered']}")
    expect(shown["lastError"] is None and "rror" not in shown["messages"], f"Emacs says: {shown}")
    session.wires.expect_newest(HOVER, len(WORDS) - 1)


# MARK: What the README says


def expect_right_snippets(recipe):
    """They are what their languages are, and the same command in each."""
    expect(recipe.blocks("lua")[0].strip() in (recipe.directory / "init.lua").read_text(), "init.lua is another")
    expect(recipe.blocks("elisp")[0].strip() in (recipe.directory / "init.el").read_text(), "init.el is another")
    for text in recipe.blocks("json"):
        json.loads(text)
    for text in recipe.blocks("toml"):
        tomllib.loads(text)
    for language in ("lua", "elisp", "json", "toml", "bash", "vim"):
        for text in recipe.blocks(language):
            words = re.sub(r"[^a-z-]+", " ", text)
            expect(re.search(r"lastword .*wrap -- |-lastword", words), f"there is no lastword in\n{text}")


def with_script(recipe):
    """An editor that knows no arguments starts a script instead."""
    [script] = recipe.blocks("bash")
    expect("wrap -- clangd " in script, script)
    path = recipe.directory / "server-lastword"
    # The server that the tests have stands in the place of that one.
    path.write_text(script.replace("clangd ", ""))
    path.chmod(0o755)
    neovim(recipe, [f"./{path.name}"], LINES[:1])


def check():
    for editing in (expect_right_snippets, lambda recipe: neovim(recipe, GATEWAY),
                    lambda recipe: emacs(recipe, GATEWAY), with_script):
        with Recipe("language-server") as recipe:
            editing(recipe)


CONCURRENT = "".join(f"""[[route]]
method = "{method}"
key = "/textDocument/uri"
keyPrefix = "{method}:"
policy = "concurrent"
""" for method in (COMPLETION, HOVER))
WITHOUT_SUPERSEDING = ["lastword", "wrap", "--config", "concurrent.toml", "--"]
LOUD = [sys.executable, str(HERE / "loud.py"), *GATEWAY]
FAULTS = [
    ("Neovim has no gateway", lambda recipe: neovim(recipe, [], LINES[:1])),
    ("nothing is superseded in Neovim", lambda recipe: neovim(recipe, WITHOUT_SUPERSEDING, LINES[:1])),
    ("Neovim hears an error that it does not know", lambda recipe: neovim(recipe, LOUD, LINES[:1])),
    ("Emacs has no gateway", lambda recipe: emacs(recipe, [])),
    ("nothing is superseded in Emacs", lambda recipe: emacs(recipe, WITHOUT_SUPERSEDING)),
]


def faults():
    found = 0
    for what, editing in share(FAULTS):
        with Recipe("language-server") as recipe:
            (recipe.directory / "concurrent.toml").write_text(CONCURRENT)
            found += expect_fault(what, lambda: editing(recipe))
    return found
