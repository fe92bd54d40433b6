"""Follows examples/recipes/mcp with the protocol's own Python client: the newest call of a box has the last word."""
import datetime
import json
import re

from recipe import Recipe, expect, find_edits

LEFT = ["a", "as", "asyncio.sl"]


def asking(recipe):
    """Its tools, the time, and what became of each search."""
    [(_, printed)] = recipe.follow()
    print(printed, end="", flush=True)
    said = dict(line.split(": ", 1) for line in printed.splitlines() if not re.match("left|right", line))
    expect(said["time"] == "convert_time get_current_time" and said["files"] == "count find", f"the tools:\n{printed}")
    expect(datetime.datetime.fromisoformat(said["in Tokyo"]).utcoffset() == datetime.timedelta(hours=9), said)

    found = {text: outcome for _, text, outcome in re.findall(r"^(left|right): '(.*)': (.*)$", printed, re.MULTILINE)}
    expect(sorted(found) == sorted([*LEFT, "counter"]), f"not one outcome for each text:\n{printed}")
    superseded = [text for text, outcome in found.items() if outcome == "superseded"]
    expect(sorted(superseded) == LEFT[:-1], f"superseded are {superseded}")
    expect(all(re.fullmatch(r"[1-9]\d* lines", found[text]) for text in ("counter", LEFT[-1])), printed)
    searches = json.loads(said["searches"])
    expect(searches["finished"] == 2, f"the server has finished {searches}")
    expect(searches["begun"] == 2 + searches["cancelled"] > 2, f"the server was not told to cancel: {searches}")
    return printed


def shape(text):
    """What of it does not depend on the machine and the day."""
    return sorted(re.sub(r"\d+", "N", line) for line in text.splitlines())


def check():
    with Recipe("mcp") as recipe:
        recipe.expect_excerpt("lastword.toml", "toml")
        [shown] = recipe.blocks("json")
        expect(json.loads(shown) == json.loads((recipe.directory / "mcp.json").read_text()), "mcp.json is another")
        printed = asking(recipe)
        expect(shape(printed) == shape(recipe.blocks("")[1]), "the README shows something else")


WRAPPED = '''"lastword",
      "args": ["wrap", "--mcp", "--config", "lastword.toml", "--", "python3", "files.py"]'''
FAULTS = [
    ("all searches run", ("lastword.toml", 'policy = "cancel"', 'policy = "concurrent"')),
    ("the tool's name is the key", ("lastword.toml", "/_meta/example.com~1box", "/name")),
    ("the routes are not used", ("mcp.json", '"--config", "lastword.toml", ', "")),
    ("there is no gateway", ("mcp.json", WRAPPED, '"python3",\n      "args": ["files.py"]')),
    ("the server does not stop when it is told to", ("files.py", "await anyio.sleep(0)", "pass")),
]


def faults():
    return find_edits("mcp", FAULTS, asking)
