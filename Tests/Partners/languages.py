"""The language servers, and what is typed to each."""
import dataclasses
import pathlib
import re
import typing

from editor import BIG_BYTES, Editor

LINE_BYTES = 4096


@dataclasses.dataclass
class LanguageServer:
    """One of them, a document of its language, and what is asked about that."""

    name: str
    command: list
    language: str
    file: str
    text: str
    # At the end of the document, several times.
    typed: str
    # (request, line, character, a word that the answer then has): whether it knows the document yet.
    ready: tuple
    # Lines and characters that are asked about at rest.
    places: list
    symbol: str = "Fetcher"
    files: dict = dataclasses.field(default_factory=dict)
    settings: dict = dataclasses.field(default_factory=dict)
    options: dict = dataclasses.field(default_factory=dict)
    # Gives a long document, and a request about it as in `ready`.
    big: typing.Callable = None
    # Requests whose answers are other ones each time.
    skipped: tuple = ()
    # The command that tells its version, where it does not do so itself.
    tells_version: tuple = ()
    # It is left as soon as it is told to exit, as by some editors; else its end is awaited.
    hangs_up: bool = False
    # Patterns of what the server numbers by itself, in answers.
    numbered: tuple = ()
    attempts: int = 1000

    session = Editor

    def prepare(self, work):
        for name, text in ({self.file: self.text} | self.files).items():
            (work / name).write_text(text)

    def stable(self, answer):
        for pattern in self.numbered:
            answer = re.sub(pattern, "", answer)
        return answer


def long_document(begin, comment, end):
    """A text of many comments, with something to find at its beginning."""
    line = comment.format("x" * LINE_BYTES) + "\n"
    return begin + line * (BIG_BYTES // LINE_BYTES) + end


PYTHON = '''\
import argparse
import json


class Fetcher:
    """Fetches pages of one host."""

    def __init__(self, host: str) -> None:
        self.host = host
        self.parser = argparse.ArgumentParser()
        self.seen: dict[str, list[int]] = {}

    def fetch(self, path: str, times: int = 1) -> str:
        """Gives what is there."""
        text = json.dumps({"host": self.host, "path": path})
        self.seen.setdefault(path, []).append(times)
        return text.upper()


fetcher = Fetcher("größe.example")  # ä, 日本語, 🙂
page = fetcher.fetch("/a", 2)
'''
PYTHON_PLACES = [(4, 8), (8, 14), (12, 10), (13, 22), (19, 12), (20, 18), (20, 21), (20, 26)]


def long_python():
    return long_document("def needle():\n    return 1\n\n\n", "# {}", "needle()\n"), "documentSymbol", 0, 0, "needle"


def long_cplusplus():
    return long_document("int needle() { return 1; }\n", "// {}", "int found = needle();\n"), "hover", 0, 5, "needle"


def python(name, command, **others):
    return LanguageServer(name, command, **{
        "language": "python", "file": "fetcher.py", "text": PYTHON, "typed": "fetcher.fetch(",
        "ready": ("hover", 12, 10, "fetch"), "places": PYTHON_PLACES, "big": long_python} | others)


CMAKE = """\
cmake_minimum_required(VERSION 3.20)
project(fetcher CXX)
set(FETCHER_SOURCES fetcher.cpp page.cpp)
function(add_fetcher name)
  add_executable(${name} ${FETCHER_SOURCES})
endfunction()
add_fetcher(fetch)
"""
FORTRAN = """\
module fetching
  implicit none
  integer, parameter :: limit = 3
contains
  !> Fetches pages.
  function fetch(path, times) result(code)
    character(len=*), intent(in) :: path
    integer, intent(in) :: times
    integer :: code
    code = len(path) * times + limit
  end function fetch
end module fetching

program fetcher
  use fetching
  implicit none
  integer :: page
  page = fetch("/a", 2)
end program fetcher
"""
RST = """\
Fetcher
=======

.. _fetching:

Fetching
--------

See :ref:`fetching` and :doc:`index`.

.. note::

   Fetches pages of one host.

Pages
-----

.. code-block:: python

   fetcher.fetch("/a")
"""
CPLUSPLUS = """\
/// Fetches pages of one host.
struct Fetcher {
  const char *host;
  /// Gives the length of what is there.
  int fetch(const char *path, int times) const { return times * (path != host); }
};

template <typename Value> Value twice(Value value) { return value + value; }

int sum(int a) { return %s; }

int main() {
  Fetcher fetcher{"größe.example"};
  int page = fetcher.fetch("/a", twice(2));
  return page;
}

""" % ("(" * 200 + "a" + ")" * 200)
SWIFT = """\
/// Fetches pages of one host.
struct Fetcher {
  let host: String
  var seen: [String: [Int]] = [:]

  /// Gives what is there.
  mutating func fetch(_ path: String, times: Int = 1) -> String {
    seen[path, default: []].append(times)
    return (host + path).uppercased()
  }
}

var fetcher = Fetcher(host: "größe.example")
let page = fetcher.fetch("/a", times: 2)
"""


def languages(programs, swift):
    """All of them; the first two directories say where those of PyPI and of the Swift toolchain are."""
    def pypi(name):
        return str(pathlib.Path(programs, name))

    return [
        python("python-lsp-server", [pypi("pylsp")]),
        python("jedi-language-server", [pypi("jedi-language-server")]),
        python("ruff", [pypi("ruff"), "server"], ready=("diagnostic", 0, 0, "items"), typed="import os, page",
               big=None),
        python("basedpyright", [pypi("basedpyright-langserver"), "--stdio"],
               settings={"basedpyright": {"analysis": {"autoImportCompletions": False}}},
               skipped=("semanticTokens/full",)),
        python("ty", [pypi("ty"), "server"], options={"completions": {"autoImport": False}}),
        python("pyrefly", [pypi("pyrefly"), "lsp"]),
        python("zuban", [pypi("zuban"), "server"]),
        LanguageServer(
            "cmake-language-server", [pypi("cmake-language-server")], "cmake", "CMakeLists.txt", CMAKE, "target_link",
            ("hover", 0, 5, "cmake_minimum_required"), [(0, 5), (1, 3), (2, 10), (4, 8)]),
        LanguageServer(
            "fortls", [pypi("fortls"), "--disable_autoupdate"], "fortran", "fetcher.f90", FORTRAN, "page = fetc",
            ("hover", 17, 11, "fetch"), [(2, 26), (5, 13), (9, 14), (17, 4), (17, 12)]),
        LanguageServer(
            "esbonio", [pypi("esbonio")], "restructuredtext", "index.rst", RST, ".. code-bl",
            ("documentSymbol", 0, 0, "Pages"), [(8, 12), (10, 5), (17, 6)],
            files={"conf.py": 'project = "fetcher"\n'}),
        LanguageServer(
            "clangd", [str(pathlib.Path(swift, "clangd")), "--log=error"], "cpp", "fetcher.cpp", CPLUSPLUS,
            "twice(page.", ("hover", 13, 22, "fetch"), [(1, 9), (4, 8), (7, 34), (9, 224), (13, 22), (13, 34)],
            # It takes four seconds to leave, and counts the tokens that it gave before. A completion is incomplete once
            # the library's names are found, which it looks for in the background.
            big=long_cplusplus, hangs_up=True, numbered=(r'"resultId": "\d+"',),
            files={".clangd": "Index:\n  StandardLibrary: No\n"}),
        LanguageServer(
            "sourcekit-lsp", [str(pathlib.Path(swift, "sourcekit-lsp"))], "swift", "Fetcher.swift", SWIFT,
            "_ = page.lo", ("hover", 13, 21, "fetch"), [(1, 9), (6, 17), (8, 26), (12, 15), (13, 21)],
            tells_version=(str(pathlib.Path(swift, "swift")), "--version"),
            # Sessions of completion, and directories of what it generates.
            numbered=(r'"sessionId": \d+', r"GeneratedInterfaces/\d+")),
    ]
