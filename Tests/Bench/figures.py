"""What lastword must reach, what it aims for, and where it misses."""
from dataclasses import dataclass

import shapes

AT_LEAST, AT_MOST = ">=", "<="


@dataclass
class Figure:
    title: str
    sense: str
    must: float
    aim: float
    value: float | None = None
    form: str = "{:.2f}"

    @property
    def misses(self):
        return self.value < self.must if self.sense == AT_LEAST else self.value > self.must


RATES = [
    # connections × depth, bytes, must reach, aim for
    ("1x1", 150, 0.90, 1.0), ("1x1", 2048, 0.80, 0.98),
    ("64x1", 150, 1.45, 1.75), ("64x1", 2048, 1.0, 1.5),
    ("64x16", 150, 1.0, 1.28), ("64x16", 2048, 0.27, 0.31),
]

COUNTED = [
    ("user instructions per request, 64x16, 150 B", "instructions", 4000, 2500, "{:,.0f}"),
    ("the same, 1x1: one request alone", "alone", 8000, 4800, "{:,.0f}"),
    ("heap allocations per request, steady state", "allocations", 0.01, 0, "{:.4f}"),
    ("bytes per idle connection", "idle", 600, 320, "{:,.0f}"),
    ("bytes per live key", "live", 400, 130, "{:,.0f}"),
]


def row_of(rows, title, size, name):
    wanted = title, size, name
    return next((row for row in rows if (row.cell.title, row.cell.bytes, row.name) == wanted), None)


def rate_figures(rows):
    for title, size, must, aim in RATES:
        row = row_of(rows, title, size, "lastword")
        bytes_text = "2 KB" if size == 2048 else f"{size} B"
        value = row and row.ratio("rate")
        yield Figure(f"req/s against pass-through, {title}, {bytes_text}", AT_LEAST, must, aim, value)
    row = row_of(rows, "64x16", 2048, "lastword-trusted")
    value = row and row.ratio("rate")
    yield Figure("the same, 64x16, 2 KB, answers of a trusted upstream", AT_LEAST, 0.38, 0.45, value)
    row, other = (row_of(rows, "64x1", 150, name) for name in ("lastword", "haproxy"))
    value = row.ratio_to(other, "rate") if row and other else None
    yield Figure("req/s against HAProxy TCP, 64x1, 150 B", AT_LEAST, 1.55, 1.85, value)
    row = row_of(rows, "64x16", 150, "lastword")
    yield Figure("p99 against pass-through, 64x16, 150 B", AT_MOST, 1.4, 1.1, row and row.ratio("p99"))


def counted_figures(counted, costs):
    """`counted` has lastword's instructions, allocations, and bytes, as far as they were measured."""
    for title, field, must, aim, form in COUNTED:
        yield Figure(title, AT_MOST, must, aim, counted.get(field), form)
    for keys, (_, ratio) in list(costs.items())[1:]:
        yield Figure(f"cost per request at {keys:,} live keys against 10", AT_MOST, 1.5, 1.0, ratio)


def page_figures(page):
    yield Figure("req/s with the live page open, against without", AT_LEAST, 0.97, 0.99, page and page.rate, "{:.3f}")


def shape_figures(found):
    mean = found and shapes.mean(found)
    yield Figure("user instructions per request, mean of small shapes", AT_MOST, 4300, 3600, mean, "{:,.0f}")
    listed = found and found["completions, both ways"]
    yield Figure("the same, completions of 2 KB both ways", AT_MOST, 26000, 16000, listed, "{:,.0f}")


def transport_figures(found):
    value = found and found.ratio("lastword ws", "nginx and ws")
    yield Figure("req/s against nginx and Node.js, WebSockets, 64x16", AT_LEAST, 3.0, 5.0, value)
    value = found and found.ratio("lastword post", "nginx post")
    yield Figure("req/s against nginx's return 200, POSTs, 64x1", AT_LEAST, 0.66, 0.8, value)
    counts = found and found.instructions
    yield Figure("user instructions per POST of no session", AT_MOST, 20_000, 12_000,
                 counts and counts["post"], "{:,.0f}")
    yield Figure("bytes per idle WebSocket", AT_MOST, 1024, 700, found and found.idle_bytes, "{:,.0f}")


def loop_figures(rows):
    """Against one loop, at the most loops that are measured."""
    first, last = (rows[0], rows[-1]) if rows else (None, None)
    value = rows and last.instructions / first.instructions
    yield Figure("user instructions against one loop's, 4 loops, random keys", AT_MOST, 1.6, 1.3, value)
    # All loops share one core's caches: proto/decisions/0062-what-several-loops-cost.md.
    value = rows and last.busy_microseconds / first.busy_microseconds
    yield Figure("CPU time of busy loops on one core, the same", AT_MOST, 2.6, 1.6, value)


def piece_figures(rows):
    value = rows and rows[0].ratio
    yield Figure("CPU time per piece against pass-through, one a ms", AT_MOST, 1.2, 1.0, value)


def fleet_figures(rows):
    """Where another member has the key, against a gateway that is in no fleet."""
    value = rows and rows[2].microseconds / rows[0].microseconds
    yield Figure("CPU time where another member has the key, against none", AT_MOST, 2.5, 2.0, value)


def show(figures):
    """Prints the table and gives whether no figure misses."""
    print(f"\n{'lastword':<55} {'must':>10} {'aim':>10} {'measured':>10}")
    measured = [one for one in figures if one.value is not None]
    for one in measured:
        must, aim = (f"{one.sense} {one.form.format(limit)}" for limit in (one.must, one.aim))
        value, mark = one.form.format(one.value), "  MISSES" if one.misses else ""
        print(f"{one.title:<55} {must:>10} {aim:>10} {value:>10}{mark}")
    absent = [one.title for one in figures if one.value is None]
    if absent:
        print("not measured: " + ("; ".join(absent) if len(absent) <= 2 else f"{len(absent)} others"))
    return not any(one.misses for one in measured)
