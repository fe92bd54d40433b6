#!/usr/bin/env python3
"""Runs the containers of examples/fleet together, and checks what its README says of them.

    CONTAINER_ENGINE=docker COMPOSE_COMMAND="docker compose" python3 fleet.py

Then it does the same to copies of them with a fault each, which have to be found.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "Fleet"))
import engine as engines
from callers import rolling
from composition import Composition, check_all, fetched, session
from engine import ANSWER_SECONDS, CLIENTS_PORT, Fault, eventually, expect

ENGINES, GATEWAYS = ("etcd1", "etcd2", "etcd3"), {"gateway1": 15278, "gateway2": 25278, "gateway3": 35278}
SERVICES = [*ENGINES, *GATEWAYS, "proxy", "upstream"]
SUPERSEDED, PARTITIONS, KEYS = -32080, 256, 24
# A member that was killed is replaced within six seconds.
PATIENT_MILLISECONDS = 60_000
# Eight containers start beside whatever else is being built or tested here.
READY_SECONDS, FAULT_READY_SECONDS = 90, 45

FAULTS = [
    ("members find etcd nowhere", "lastword.toml", "79", "78", "not each member is ready"),
    ("one is called by a wrong name", "compose.yaml", '"gateway2:25280"', '"gateway2:25281"', "not each member is ready"),
    ("they have another authority's certificate", "secrets.sh", "-CA ca.pem -CAkey ca.key -CAcreateserial", "-signkey member.key",
     "not each member is ready"),
    ("it is another fleet's", "lastword.toml", 'name = "example"', "", "not each member is ready"),
    ("the proxy asks elsewhere", "haproxy.cfg", "port 15279", "port 15278", "gateways that the proxy has"),
    ("members are killed, and not told to stop", "compose.yaml", "stop_grace_period: 20s", "stop_signal: SIGKILL",
     "errors of a rolling restart"),
    ("a member has all memory", "compose.yaml", "mem_limit: 64m", "", "the memory of gateway1: "),
]


def status(gateway):
    """What a member knows of its fleet; nothing as long as it does not answer."""
    try:
        return json.loads(fetched(GATEWAYS[gateway] + 1, "/fleet"))
    except OSError:
        return None


def are_ready(names=tuple(GATEWAYS)):
    """Each of them sees the others, and that each partition has somebody."""
    found = [status(name) for name in names]
    return all(one and not one["notReady"] and len(one["members"]) == len(names)
               and sum(member["partitions"] for member in one["members"]) == PARTITIONS for one in found)


def check_latest_wins():
    """Whichever member a client is connected to."""
    older, newer, proxied = session(GATEWAYS["gateway1"]), session(GATEWAYS["gateway2"]), session()
    for number in range(KEYS):
        for caller in (newer, proxied):
            older.send("sleep", {"ms": 60_000}, key=f"box-{number}")
            # It is known that it has come where its key is once others can see it.
            eventually(lambda number=number: caller.call("lastword.inspect", {"key": f"box-{number}"})["result"]["tasks"],
                       "the older one is not seen")
            expect("the newer one", caller.call("echo", {"q": number}, key=f"box-{number}")["result"], {"q": number})
            expect("the older one", older.reply()["error"]["code"], SUPERSEDED)


def check_served(port):
    caller = session(port)
    caller.socket.settimeout(PATIENT_MILLISECONDS / 1_000 + ANSWER_SECONDS)
    for number in range(KEYS):
        caller.send("echo", {"q": number}, key=f"served-{number}", timeoutMs=PATIENT_MILLISECONDS)
    answered = [caller.reply() for _ in range(KEYS)]
    expect("what was not answered", [reply for reply in answered if "result" not in reply], [])


def check_rolling_restart(composition):
    """Requests that take less than handoverMs end well, and only clients of a member that leaves hear of it."""
    leaving = set()

    def restart():
        for number, gateway in enumerate(GATEWAYS):
            leaving.add(number)
            composition.compose("restart", gateway)
            eventually(are_ready, "not each member is ready again")
            leaving.discard(number)

    places = [("127.0.0.1", port) for port in GATEWAYS.values()]
    _, complaints, said = rolling(places, leaving, restart, "sleep")
    expect("errors of a rolling restart", complaints[:3], [])
    print(said, flush=True)


def check_proxy():
    """It gives connections to all of them."""
    callers = [session() for _ in range(2 * len(GATEWAYS))]
    numbers = [fetched(port + 1, "/metrics").split("\nlastword_client_connections ")[1].split()[0] for port in GATEWAYS.values()]
    expect("gateways that the proxy has given connections", [int(number) > 0 for number in numbers], [True] * 3)
    del callers


def check(engine, directory):
    with tempfile.TemporaryDirectory() as copy:
        # With secrets of its own.
        place = pathlib.Path(copy, "fleet")
        shutil.copytree(directory, place)
        shutil.copytree(directory.parent / "upstreams", pathlib.Path(copy, "upstreams"))
        subprocess.run([place / "secrets.sh", place / "secrets"], check=True)
        pathlib.Path(copy).chmod(0o755)
        with Composition(engine, place, SERVICES) as composition:
            tried(composition)
        expect("what is left", composition.containers(), {})


def tried(composition):
    eventually(are_ready, "not each member is ready")
    expect("services", {*composition.containers()}, {*SERVICES})
    for service in SERVICES:
        composition.expect_running(service)
        composition.expect_confined(service, may_be_root=service in ENGINES)
    for gateway in GATEWAYS:
        described = composition.engine.inspect(composition.containers()[gateway])
        expect(f"the memory of {gateway}", described["HostConfig"]["Memory"], 64 << 20)
        eventually(lambda gateway=gateway: composition.health(gateway) == "healthy", f"{gateway} is not healthy")
    said = composition.execute("gateway1", "lastword", "fleet", "status")
    expect("what fleet status says", said.splitlines()[0], "fleet example: this one is member")
    eventually(session, "the proxy does not answer")
    check_proxy()
    check_latest_wins()
    check_rolling_restart(composition)
    composition.compose("stop", "etcd1")
    check_served(CLIENTS_PORT)
    composition.engine.call("kill", "--signal", "KILL", composition.containers()["gateway2"])
    check_served(GATEWAYS["gateway1"])
    check_served(GATEWAYS["gateway3"])
    eventually(lambda: are_ready(("gateway1", "gateway3")), "the other two have not all")
    composition.compose("stop")
    for service in ("gateway1", "gateway3", "upstream"):
        expect(f"exit status of {service}", composition.state(service)["ExitCode"], 0)


def main():
    engines.READY_SECONDS = READY_SECONDS
    tried = check_all(check, "fleet", FAULTS, lambda _: FAULT_READY_SECONDS)
    print(f"detail: a fleet of three, three etcds and a proxy, a rolling restart, one of each stopped or killed, {tried} faults found")


if __name__ == "__main__":
    try:
        main()
    except Fault as fault:
        sys.exit(f"error: {fault}")
