"""Reads which acceptance rows run over which transports, from the tests themselves. Standard library.

A row says it by `Transport.all`, or `Way.to`, among the arguments of its test, with `but: [.post: .reason]` where it is
not for all; or by the trait `.forLines(.reason)`, which may be its suite's. What the reasons are is in `Reason.swift`.
"""
import pathlib
import re

TESTS = pathlib.Path(__file__).resolve().parents[1] / "EndToEndTests"
NAMES = ("lines", "webSocket", "post")

REASON = re.compile(r'^  case (\w+) = "(.*)"$', re.MULTILINE)
SUITE = re.compile(r"((?:^/// .*\n)+)^@Suite(.*?)struct \w+ \{", re.MULTILINE | re.DOTALL)
TEST = re.compile(r"^  @Test(?P<said>.*?)func `(?P<name>[^`]+)`(?P<body>.*?)^  \}$", re.MULTILINE | re.DOTALL)
FOR_LINES = re.compile(r"\.forLines\(\.(\w+)\)")
OVER = re.compile(r"Transport\.all\b|Way\.to\(")
BUT = re.compile(r"but: \[([^]]*)\]")
EXCEPTION = re.compile(r"\.(\w+): \.(\w+)")
OTHER_TEST = re.compile(r"^\s*@Test\b", re.MULTILINE)


class Unclear(Exception):
    pass


def against(said, suite):
    """Of each transport that a row is not for, the reason's name."""
    for_lines = FOR_LINES.search(said) or FOR_LINES.search(suite)
    if bool(for_lines) == bool(OVER.search(said)):
        raise Unclear("says neither over which transports it runs nor why for lines alone, or both")
    if for_lines:
        return {name: for_lines[1] for name in NAMES[1:]}
    but = BUT.search(said)
    return dict(EXCEPTION.findall(but[1])) if but else {}


def read():
    """Of each suite: its path, what it is about, and its rows, which are names and a cell for each transport."""
    reasons = dict(REASON.findall((TESTS / "Callers/Reason.swift").read_text()))
    used, suites = set(), []
    for path in sorted((TESTS / "Acceptance").rglob("*RowTests.swift")):
        text = path.read_text()
        suite = SUITE.search(text)
        if not suite:
            raise Unclear(f"{path.name}: there is no suite with a comment")
        rows, tests = [], list(TEST.finditer(text))
        if len(tests) != len(OTHER_TEST.findall(text)):
            raise Unclear(f"{path.name}: a test is written in another way than the others")
        for test in tests:
            try:
                exceptions = against(test["said"], suite[2])
            except Unclear as error:
                raise Unclear(f"{path.name}: `{test['name']}` {error}") from None
            if not exceptions.get("post") and not re.search(r"\b(transport|way)\b", test["body"].partition("{")[2]):
                raise Unclear(f"{path.name}: `{test['name']}` does not look at its transport")
            used.update(exceptions.values())
            cells = [reasons[exceptions[name]] if name in exceptions else "✓" for name in NAMES]
            rows.append((test["name"], cells))
        about = " ".join(line.removeprefix("/// ") for line in suite[1].splitlines())
        suites.append((path, about.rstrip("."), rows))
    if used != set(reasons):
        raise Unclear(f"Reason.swift: nothing is for {sorted(set(reasons) - used)}")
    return suites
