"""Who comes anew while others attack: a visit now and then, and whether that one got in."""
import time
from dataclasses import dataclass

from access import NEWCOMER, enter, read_line
from wire import request

PERIOD_SECONDS = 0.05
# Whoever has not been served by then has gone away again.
VISIT_SECONDS = 3


@dataclass
class Visit:
    sent: float
    # Until the answer to its one request; none: it did not get in.
    seconds: float | None
    reason: str = ""


def visit(port, door):
    began = time.monotonic()
    try:
        with enter(port, door, NEWCOMER) as client:
            client.settimeout(VISIT_SECONDS)
            client.sendall(request(1, "echo", ["newcomer"]))
            line = read_line(client)
            if b'"result":["newcomer"]' not in line:
                return Visit(began, None, f"was answered {line!r}")
    except OSError as error:
        return Visit(began, None, f"{type(error).__name__}: {error}")
    seconds = time.monotonic() - began
    return Visit(began, seconds if seconds < VISIT_SECONDS else None, "was late")


def come_anew(port, door, stopping):
    visits = []
    while not stopping.is_set():
        visits.append(visit(port, door))
        stopping.wait(PERIOD_SECONDS)
    return visits
