#!/usr/bin/env python3
"""TLS in lastword beside HAProxy, which terminates the same TLS in front of the same upstream. For scripts/bench --tls.

The load generator speaks no TLS: another HAProxy, on the load's core, puts TLS around what it says. With that the load's
core has more to do than the measured one, so that what counts is the CPU time that the measured process needs for a
request or a handshake: a core that is busy with nothing else does as many in a second as that allows.
"""
import argparse
import os
import re
import subprocess
import sys
from pathlib import Path
from statistics import median

from programs import LOAD_CORE, PROXY_CORE, Failed, Load, Program, Upstream, cpu_seconds, most_connections, \
    raise_descriptor_limit
from systems import STARTING_SECONDS, System, Systems, find, free_port, wait_until_served
from throughput import Cell, sample

HERE = Path(__file__).parent
# What lastword has to reach of what HAProxy does with a core. Many messages at once cost a gateway that reads them more
# than one that passes their bytes on, whether or not they are encrypted: scripts/bench holds it to a share of that, too,
# and proto/decisions/0061-tls-beside-haproxy.md says why.
CELLS = {Cell(64, 1, 150): 1.0, Cell(64, 1, 2048): 1.0, Cell(64, 16, 150): 0.85, Cell(64, 16, 2048): 0.6}
NAMES = ["lastword", "haproxy"]
LEAST_HANDSHAKES = 0.9


class Papers:
    """A certificate that vouches for itself, in the forms that each wants."""

    def __init__(self, directory):
        self.certificate, self.key, self.both = (directory / name for name in ["tls.pem", "tls.key", "tls.both"])
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
             "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", self.key,
             "-out", self.certificate], check=True, capture_output=True)
        self.both.write_text(self.certificate.read_text() + self.key.read_text())


def haproxy(file, core, port, **environment):
    environment = {**os.environ, "LISTEN_PORT": str(port), "MOST_CONNECTIONS": str(most_connections()),
                   **{name: str(value) for name, value in environment.items()}}
    program = Program([find("haproxy"), "-db", "-f", HERE / file], core, env=environment,
                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until_served(program, port)
    return program


def lastword(options, papers, upstream, port):
    file = options.programs / "tls.toml"
    file.write_text(f'''
[[listen]]
address = "127.0.0.1:{port}"
tls = {{ certificate = "{papers.certificate}", key = "{papers.key}" }}
[[upstream]]
name = "main"
address = "tcp:127.0.0.1:{upstream.port}"
''')
    bounds = Systems(options.binary, options.programs)
    program = Program([options.binary, "serve", "--config", file, "--drain-ms", 0], PROXY_CORE,
                      env=bounds.bounds(bounds.tasks), stderr=subprocess.DEVNULL)
    wait_until_served(program, port)
    return program


def handshakes(system, seconds):
    """How many a second, and the CPU time of each in microseconds."""
    before = cpu_seconds([system.pid])
    # Sessions are made anew, never resumed.
    with Program([find("openssl"), "s_time", "-connect", f"127.0.0.1:{system.port}", "-new", "-time", seconds],
                 LOAD_CORE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as program:
        text, _ = program.process.communicate(timeout=STARTING_SECONDS + seconds)
    found = re.search(r"(\d+) connections in (\d+) real seconds", text)
    if not found or int(found[1]) == 0:
        raise Failed(f"no handshakes with {system.name}: {text}")
    count = int(found[1])
    return count / seconds, (cpu_seconds([system.pid]) - before) / count * 1e6


def show(title, unit, rates, costs, least):
    """Prints both, and says whether lastword reaches what it must."""
    share = median(theirs / ours for ours, theirs in zip(costs["lastword"], costs["haproxy"]))
    print(f"\n{title}")
    for name in NAMES:
        print(f"  {name:<10} {median(rates[name]):>10,.0f}/s  {median(costs[name]):>8.2f} µs of CPU for each {unit}")
    is_reached = share >= least
    print(f"  a core's worth, against HAProxy: {share:.2f}; at least {least}: {'ok' if is_reached else 'MISSED'}")
    sys.stdout.flush()
    return is_reached


def compare(options):
    papers = Papers(options.programs)
    load = Load(options.programs)
    verdicts = []
    with Upstream(options.programs) as upstream:
        ports = {name: free_port() for name in NAMES}
        systems = {
            "lastword": System("lastword", lastword(options, papers, upstream, ports["lastword"]), ports["lastword"]),
            "haproxy": System("haproxy", haproxy(
                "haproxy-tls.cfg", PROXY_CORE, ports["haproxy"], CERTIFICATE=papers.both, UPSTREAM_PORT=upstream.port),
                ports["haproxy"])}
        fronts = {}
        for name in NAMES:
            port = free_port()
            haproxy("haproxy-client.cfg", LOAD_CORE, port, MEASURED_PORT=ports[name], AUTHORITY=papers.certificate)
            fronts[name] = System(name, systems[name].program, port)
        for cell, least in CELLS.items():
            samples = {name: [] for name in NAMES}
            for number in range(options.rounds):
                for name in NAMES if number % 2 else reversed(NAMES):
                    samples[name].append(sample(fronts[name], upstream, load, cell, options.seconds))
            verdicts.append(show(
                f"{cell.title} (connections x depth), {cell.size}", "request",
                {name: [one.rate for one in samples[name]] for name in NAMES},
                {name: [one.cpu for one in samples[name]] for name in NAMES}, least))
        shaken = {name: [handshakes(systems[name], 2) for _ in range(options.rounds)] for name in NAMES}
        verdicts.append(show(
            "handshakes, each whole", "handshake",
            {name: [one[0] for one in shaken[name]] for name in NAMES},
            {name: [one[1] for one in shaken[name]] for name in NAMES}, LEAST_HANDSHAKES))
    return all(verdicts)


def read_options():
    options = argparse.ArgumentParser(prog="scripts/bench --tls")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--seconds", type=float, default=1.0, help="what a cell is measured for in each round")
    options.add_argument("--binary", type=Path, required=True, help=argparse.SUPPRESS)
    options.add_argument("--programs", type=Path, required=True, help=argparse.SUPPRESS)
    return options.parse_args()


if __name__ == "__main__":
    raise_descriptor_limit()
    try:
        sys.exit(0 if compare(read_options()) else 1)
    except Failed as failure:
        sys.exit(f"error: {failure}")
