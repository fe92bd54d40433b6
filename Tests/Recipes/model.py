"""Follows examples/recipes/model with a real language model: no text of an older prompt, and less work upstream."""
import os
import pathlib
import re

from recipe import Recipe, expect, find_edits

LAST_LINE = re.compile(r"stale pieces on the screen: (\d+); tokens computed: (\d+)")


def prepare(recipe):
    """The model's packages are in an environment of their own."""
    python = pathlib.Path(os.environ["LASTWORD_MODEL_PYTHON"]).parent
    recipe.environment["PATH"] = f"{python}:{recipe.environment['PATH']}"


def prompting(recipe):
    prepare(recipe)
    printed = [text for _, text in recipe.follow()]
    expect(len(printed) == 2, f"{len(printed)} commands have ended")
    for text in printed:
        print(text.splitlines()[-1], flush=True)
    (stale, tokens), (stale_through, tokens_through) = (map(int, LAST_LINE.search(text).groups()) for text in printed)
    expect(stale > 0, f"directly nothing is stale: {printed[0]}")
    expect(stale_through == 0, f"through the gateway {stale_through} pieces are stale")
    expect(tokens_through < tokens, f"nothing is saved: {tokens_through} of {tokens}")


def check():
    with Recipe("model") as recipe:
        recipe.expect_excerpt("lastword.toml", "toml")
        prompting(recipe)


FAULTS = [
    ("every prompt is written to its end", ("lastword.toml", 'policy = "cancel"', 'policy = "concurrent"')),
    ("the model does not stop", ("model.py", "known.set()", "pass")),
]


def faults():
    return find_edits("model", FAULTS, prompting)
