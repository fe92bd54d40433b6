"""Writes docs/transports.md: which transcripts of the contract are played over which transports, and why others are not.

    transports.py            writes it
    transports.py --check    says whether it is as it would be written; status 1 if not
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "proto/check"))
import transcript  # noqa: E402
import transports  # noqa: E402

PAGE = ROOT / "docs/transports.md"
TITLE = """# The contract over each transport

Each row is a transcript of [the contract](../proto/README.md), with what it is about. Tests play it over lines, over a WebSocket and by POSTs of one session against the real program (`scripts/conformance HOST:PORT --transport websocket`, or `post`), and it must be kept: ✓. Replies to POSTs may come in any order. Where a transcript is not for a transport the reason stands there; what HTTP and WebSocket say in terms of their own has tests of its own (`Tests/EndToEndTests/HTTP`, `Tests/EndToEndTests/WebSocket`).

`Tests/Pages/transports.py` makes this page of the transcripts.

| transcript | what it is about | lines | WebSocket | POST |
|---|---|---|---|---|
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


def main():
    paths = [path for kind in ("required", "recommended") for path in sorted((transcript.TRANSCRIPTS / kind).glob("*.txt"))]
    page = TITLE + "".join(row(path) for path in paths)
    if "--check" not in sys.argv:
        PAGE.write_text(page)
    elif not PAGE.exists() or PAGE.read_text() != page:
        sys.exit("error: docs/transports.md is not what Tests/Pages/transports.py makes of the transcripts")


if __name__ == "__main__":
    main()
