"""Follows examples/recipes/agent-host with the protocol's own Python client: of the calls of one box only the newest goes on."""
import json

from mcp_server import shape
from recipe import Recipe, expect, find_edits

PROMPTS = ["cats", "cats and dogs", "dogs"]


def asking(recipe):
    """What became of each prompt, in a session and without one."""
    printed = [text for _, text in recipe.follow()]
    expect(len(printed) == 2, f"{len(printed)} commands have ended")
    for number, text in enumerate(printed, 1):
        print(text, end="", flush=True)
        lines = text.splitlines()
        expect([f"{about}: superseded" for about in PROMPTS[:-1]] == lines[1:-3], f"not superseded:\n{text}")
        expect(lines[-3].startswith(f"{PROMPTS[-1]}: the quick"), text)
        expect(lines[-2] == "stale words: 0", text)
        expect(json.loads(lines[-1]) == {"begun": 3 * number, "finished": number, "cancelled": 2 * number}, text)
    return printed[0]


def check():
    with Recipe("agent-host") as recipe:
        recipe.expect_excerpt("words.toml", "toml")
        printed = asking(recipe)
        expect(shape(printed) == shape(recipe.blocks("")[1]), "the README shows something else")


FAULTS = [
    ("every prompt goes on", ("words.toml", 'policy = "cancel"', 'policy = "concurrent"')),
    ("the tool's name is the key", ("words.toml", "/_meta/example.com~1box", "/about")),
    ("the server does not stop when it is told to", ("words.py", "        raise\n", "        pass\n")),
]


def faults():
    return find_edits("agent-host", FAULTS, asking)
