"""Writes docs/transports.md: which transcripts of the contract, and which acceptance rows, are played over which
transports, and why others are not.

    transports.py            writes it
    transports.py --check    says whether it is as it would be written; status 1 if not
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "proto/check"))
import rows  # noqa: E402
import transcript  # noqa: E402
import transports  # noqa: E402

PAGE = ROOT / "docs/transports.md"
TITLE = """# The contract over each transport

Each row is a transcript of [the contract](../proto/README.md), with what it is about. Tests play it over lines, over a WebSocket and by POSTs of one session against the real program (`scripts/conformance HOST:PORT --transport websocket`, or `post`), and it must be kept: ✓. Replies to POSTs may come in any order. Where a transcript is not for a transport the reason stands there; what HTTP and WebSocket say in terms of their own has tests of its own (`Tests/EndToEndTests/HTTP`, `Tests/EndToEndTests/WebSocket`).

`Tests/Pages/transports.py` makes this page of the transcripts and the tests.

## Transcripts

| transcript | what it is about | lines | WebSocket | POST |
|---|---|---|---|---|
"""

ROWS = """
## Bad input and faults

Each row is a test against the real program (`Tests/EndToEndTests/Acceptance`), in which somebody sends what is wrong, or something fails, and everybody else loses nothing. Its clients come over each transport that is marked ✓; where upstreams fail, those over WebSockets and POSTs meet fewer kinds of them than those over lines.
"""


def about(path):
    """The first sentence of its first comment."""
    words = []
    for line in path.read_text().splitlines():
        if not line.startswith("// "):
            break
        words.append(line[3:])
    return re.split(r"(?<=[.:;]) ", " ".join(words))[0].rstrip(".:;").replace("|", "\\|")


def row(path):
    steps = transcript.read(path)
    cells = [transports.reason_against(name, path.stem, steps) or "✓" for name in transports.NAMES]
    link = f"[`{path.parent.name}/{path.stem}`](../{path.relative_to(ROOT)})"
    return f"| {link} | {about(path)} | {' | '.join(cells)} |\n"


def suite(path, title, tests):
    head = f"\n[{title}](../{path.relative_to(ROOT)}):\n\n| row | lines | WebSocket | POST |\n|---|---|---|---|\n"
    return head + "".join(f"| {name} | {' | '.join(cells)} |\n" for name, cells in tests)


def main():
    paths = [path for kind in ("required", "recommended") for path in sorted((transcript.TRANSCRIPTS / kind).glob("*.txt"))]
    try:
        page = TITLE + "".join(row(path) for path in paths) + ROWS + "".join(suite(*each) for each in rows.read())
    except rows.Unclear as error:
        sys.exit(f"error: {error}")
    if "--check" not in sys.argv:
        PAGE.write_text(page)
    elif not PAGE.exists() or PAGE.read_text() != page:
        sys.exit("error: docs/transports.md is not what Tests/Pages/transports.py makes of transcripts and tests")


if __name__ == "__main__":
    main()
