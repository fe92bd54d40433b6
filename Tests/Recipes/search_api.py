"""Follows examples/recipes/search-api: typing fast shows only what is newest, and stops the searches before it."""
import json
import re
import time
import urllib.request

from recipe import PATIENCE_SECONDS, Recipe, expect, find_edits

TEXT = "self.assert"
FAST_MILLISECONDS = 10


def counts(recipe):
    """Once no search runs any more."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        count = json.loads(recipe.run("lastword call count"))
        if count["begun"] == count["finished"] + count["interrupted"]:
            return count
    raise AssertionError(f"some searches never end: {count}")


def outcomes(printed):
    """What became of each text, in the order in which it was shown."""
    found = re.findall(r"^ *'(.*)'  (.*)$", printed, re.MULTILINE)
    expect(sorted(text for text, _ in found) == sorted(TEXT[:length] for length in range(1, len(TEXT) + 1)),
           f"not one outcome for each text:\n{printed}")
    return found


def expect_newest_last(recipe, printed):
    shown = [text for text, outcome in outcomes(printed) if outcome != "superseded"]
    expect(shown == sorted(shown, key=len), f"what is stale is shown:\n{printed}")
    expect(shown[-1:] == [TEXT], f"the newest is not what stays:\n{printed}")
    request = {"jsonrpc": "2.0", "id": 1, "method": "search", "params": {"q": TEXT}}
    [url] = re.findall(r'address = "(http:.*)"', (recipe.directory / "lastword.toml").read_text())
    with urllib.request.urlopen(url, json.dumps(request).encode(), PATIENCE_SECONDS) as reply:
        places = [line["place"] for line in json.load(reply)["result"][:3]]
    expect(outcomes(printed)[-1] == (TEXT, "shown: " + ", ".join(places)), f"another answer is shown:\n{printed}")


def typing(recipe, examples=False):
    """At a fast human's pace, then all at once."""
    (type_, printed), (_, count) = recipe.follow()
    print(printed, count, sep="", end="", flush=True)
    expect_newest_last(recipe, printed)
    count = counts(recipe)
    superseded = printed.count("superseded")
    expect(count["interrupted"] > 0, f"no search was interrupted: {count}")
    expect(count["interrupted"] <= superseded, f"{superseded} superseded: {count}")
    if examples:
        shown, counted = recipe.blocks("")
        expect([text for text, _ in outcomes(shown)] == [TEXT[:length] for length in range(1, len(TEXT) + 1)],
               f"the README shows\n{shown}")
        expect(json.loads(counted).keys() == count.keys(), f"the README shows {counted}")
    return type_, count


def check():
    with Recipe("search-api") as recipe:
        recipe.expect_excerpt("lastword.toml", "toml")
        type_, before = typing(recipe, examples=True)
        expect(type_.endswith(TEXT), type_)
        expect_newest_last(recipe, recipe.run(f"{type_} --every-ms {FAST_MILLISECONDS}"))
        begun = counts(recipe)["begun"] - before["begun"]  # one of them is this check's own
        expect(begun - 1 <= len(TEXT) // 2, f"typing fast began {begun - 1} searches")
        two_boxes(recipe, type_)


def two_boxes(recipe, type_):
    """What is typed into one leaves the other alone."""
    other = recipe.run(f"{type_} --box other & {type_}; wait $!")
    for text in (TEXT[:1], TEXT):
        expect(other.count(f"'{text}'") == 2, f"two boxes show\n{other}")
    expect(other.count(f"'{TEXT}'  shown") == 2, f"two boxes show\n{other}")


FAULTS = [
    ("all are searched for", ("lastword.toml", 'policy = "cancel"', 'policy = "concurrent"')),
    ("the text is the key", ("lastword.toml", 'key = "/box"', 'key = "/q"')),
    ("the API does not look whether anybody waits", ("api.py", "is_gone, STEPS_BETWEEN_LOOKS", "is_gone, 0")),
    ("searches that were interrupted count as finished", ("api.py", 'count("interrupted")', 'count("finished")')),
]


def faults():
    return find_edits("search-api", FAULTS, typing)
