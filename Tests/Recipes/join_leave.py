"""Follows examples/recipes/join-leave: users flip, and end where their last answered wish says."""
from recipe import Recipe, expect, find_edits

SEEDS = range(1, 6)


def by_hand_and_by_chance(recipe):
    """What the README says comes, comes; the users are where they wish to be."""
    recipe.expect_excerpt("lastword.toml", "toml")
    *calls, flips = recipe.follow()
    shown, summary = recipe.blocks("")
    expect("".join(output for _, output in calls) == shown, f"the calls print {calls}")
    expect([words(line) for line in flips[1].splitlines()] == [words(line) for line in summary.splitlines()],
           f"flipping prints\n{flips[1]}")
    return flips[0]


def words(line):
    return [word for word in line.split() if not word.isdigit()]


def flipping(recipe):
    """The same by several seeds."""
    *_, (command, _) = recipe.follow()
    for seed in SEEDS:
        print(recipe.run(f"{command} --seed {seed}"), end="", flush=True)


def check():
    with Recipe("join-leave") as recipe:
        by_hand_and_by_chance(recipe)
    with Recipe("join-leave") as recipe:
        flipping(recipe)


FAULTS = [
    ("there is no gateway", ("README.md", "python3 flip.py 127.0.0.1:5278", "python3 flip.py 127.0.0.1:9000")),
    ("nothing is undone", ("lastword.toml", 'compensate = "room.unjoin"\n', "")),
    ("joins and leaves run beside each other", ("lastword.toml", '"cancelAndWait"', '"concurrent"', 4)),
    ("joins and leaves have keys of their own",
     ("flip.py", "self.place, key=self.key)", 'self.place, key=self.key + self.wish)')),
    ("a leave is cancelled", ("lastword.toml", 'cancel = "none"\n', "")),
    ("leaving undoes nothing", ("rooms.py", "if self.seats.get(who) == seat:", "if False:")),
]


def faults():
    return find_edits("join-leave", FAULTS, flipping)
