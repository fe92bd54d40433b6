#!/usr/bin/env python3
"""Runs the containers of examples/compose together, and checks what its README says of them.

    CONTAINER_ENGINE=docker COMPOSE_COMMAND="docker compose" python3 compose.py

Then it does the same to copies of them with a fault each, which have to be found.
"""
import json
import re
import sys
import urllib.parse

from composition import Composition, check_all, fetched, session
from engine import Fault, eventually, expect

SERVICES = ["gateway", "upstream", "prometheus"]
ADMIN_PORT, PROMETHEUS_PORT = 5279, 9090
SUPERSEDED = -32080
SUPERSEDED_COUNT = 'lastword_requests_ended_total{outcome="superseded"}'
# For what a fault keeps from coming; without one there is no hurry.
FAULT_READY_SECONDS, DOCKER_READY_SECONDS = 8, 20

FAULTS = [
    ("the gateway has no handler", "lastword.toml", "9000", "9001", "the gateway is not healthy"),
    ("Prometheus is not let in", "lastword.toml", 'hosts = ["gateway"]', "", "targets: "),
    ("Prometheus asks elsewhere", "prometheus.yml", "5279", "5278", "targets: "),
    ("Prometheus has no rules", "prometheus.yml", "- alerts.yml", "- none*.yml", "rules: "),
    ("the gateway has all memory", "compose.yaml", "mem_limit: 64m", "", "the gateway's memory: "),
    ("nothing can be typed", "compose.yaml", ":/typeahead.py:ro", ":/nowhere.py:ro", "exec "),
    ("the handler is root", "compose.yaml", 'user: "65534:65534"', "", "root in upstream: "),
    ("a capability is left", "compose.yaml", "cap_drop: [ALL]", "cap_drop: [KILL]", "capabilities of "),
    ("what is mounted is nowhere", "compose.yaml", "./lastword.toml:", "./none.toml:", "the gateway does not answer"),
]


def asked(path):
    """What Prometheus's API says; nothing as long as it does not answer."""
    try:
        return json.loads(fetched(PROMETHEUS_PORT, "/api/v1/" + path))["data"]
    except OSError:
        return None


def call(composition):
    """The newest request of a key has the result, whether it comes from outside or from within."""
    older, newer = session(), session()
    inside = ("gateway", "lastword", "call", "echo", '{"q":1}', "--key=box")
    for call in (lambda: newer.call("echo", {"q": 1}, key="box")["result"],
                 lambda: json.loads(composition.execute(*inside))):
        older.send("sleep", {"ms": 60_000}, key="box")
        older.call("lastword.ping")
        expect("the newer one", call(), {"q": 1})
        expect("the older one", older.reply()["error"]["code"], SUPERSEDED)
    expect("a live page", "<title>" in fetched(ADMIN_PORT, "/"), True)
    expect("superseded, as the gateway says", f"{SUPERSEDED_COUNT} 2" in fetched(ADMIN_PORT, "/metrics"), True)


def typed(composition):
    """The client that is mounted beside the handler shows the newest answer, and no other."""
    lines = "type s\ntype sw\ntype swift\nwait\nquit\n"
    client = "python3 /typeahead.py 127.0.0.1:5278 box-1"
    shown = composition.execute("upstream", "sh", "-c", f"printf '{lines}' | {client}").splitlines()
    expect("what is typed", [line for line in shown if line.startswith("shown")], ["shown swift"])
    expect("the spinner", shown[-2:], ["shown swift", "idle"])


def watched(directory):
    """Prometheus reaches the gateway, knows what it did, and has the alert rules."""
    def targets():
        return [(target["labels"]["instance"], target["health"]) for target in
                (asked("targets") or {}).get("activeTargets", []) if target["health"] != "unknown"]
    expect("targets", eventually(targets, "no target"), [("gateway:5279", "up")])
    query = "query?" + urllib.parse.urlencode({"query": SUPERSEDED_COUNT})
    eventually(lambda: [series["value"][1] for series in asked(query)["result"]] == ["2"],
               "Prometheus does not know of the superseded requests")
    rules = {rule["name"] for group in asked("rules")["groups"] for rule in group["rules"]}
    written = set(re.findall(r"- alert: (\w+)", (directory / "../prometheus/alerts.yml").read_text()))
    expect("rules", rules, written)
    print(f"  {len(rules)} rules")


def confined(composition):
    for service in SERVICES:
        composition.expect_confined(service)
    gateway = composition.engine.inspect(composition.containers()["gateway"])
    expect("the gateway's memory", gateway["HostConfig"]["Memory"], 64 << 20)


def check(engine, directory):
    with Composition(engine, directory, SERVICES) as composition:
        eventually(session, "the gateway does not answer")
        eventually(lambda: composition.health("gateway") == "healthy", "the gateway is not healthy")
        expect("services", {*composition.containers()}, {*SERVICES})
        for service in SERVICES:
            composition.expect_running(service)
        confined(composition)
        call(composition)
        watched(directory)
        typed(composition)
        composition.compose("stop")
        for service in SERVICES:
            expect(f"exit status of {service}", composition.state(service)["ExitCode"], 0)
    expect("what is left", composition.containers(), {})


def main():
    # Docker looks after the health by itself, at its pace.
    tried = check_all(check, "compose", FAULTS,
                      lambda engine: FAULT_READY_SECONDS if engine.is_podman else DOCKER_READY_SECONDS)
    print(f"detail: three containers, asked, watched and stopped, {tried} faults found")


if __name__ == "__main__":
    try:
        main()
    except Fault as fault:
        sys.exit(f"error: {fault}")
