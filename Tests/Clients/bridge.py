#!/usr/bin/env python3
"""Holds the bridge for web pages of examples/clients against a real gateway.

    python3 bridge.py

LASTWORD_BINARY names the gateway. Started by scripts/minimal-clients.
"""
import http.client
import json
import pathlib
import subprocess
import threading

from typeahead import PATIENCE_SECONDS, Gateway, Program, expect, take

CLIENTS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "clients"


class Bridge(Program):
    def __init__(self, gateway):
        super().__init__(["node", str(CLIENTS / "bridge.mjs"), "0", gateway.address], "stdout",
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self.origin = take(self.lines, "where the bridge listens")

    def ask(self, body, method="POST", timeout=PATIENCE_SECONDS, **headers):
        connection = http.client.HTTPConnection(self.origin.removeprefix("http://"), timeout=timeout)
        connection.request(method, "/", body, {"Content-Type": "application/json", **headers})
        response = connection.getresponse()
        text = response.read()
        return response.status, json.loads(text) if text else None


def message(method, params, **task):
    return json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": params, **({"task": task} if task else {})})


def check_bridge(gateway):
    bridge = Bridge(gateway)
    try:
        slow = []
        asking = threading.Thread(
            target=lambda: slow.append(bridge.ask(message("sleep", {"ms": 60_000}, key="page"))))
        asking.start()
        inspect = message("lastword.inspect", {"key": "page"})
        while bridge.ask(inspect)[1]["result"]["count"] == 0:
            pass
        quick = bridge.ask(message("sleep", {"ms": 1}, key="page"), Origin=bridge.origin)
        expect(quick == (200, {"jsonrpc": "2.0", "id": 7, "result": {"ms": 1}}), f"the newest: {quick}")
        asking.join(PATIENCE_SECONDS)
        expect(slow[0][1]["error"]["code"] == -32080 and slow[0][1]["id"] == 7, f"the older: {slow}")
        # A page that goes takes its request with it.
        try:
            bridge.ask(message("sleep", {"ms": 60_000}, key="page"), timeout=0.5)
            raise AssertionError("what takes a minute was answered at once")
        except TimeoutError:
            pass
        while bridge.ask(inspect)[1]["result"]["count"]:
            pass
        expect(bridge.ask("{")[1]["error"]["code"] == -32700, "no JSON")
        expect(bridge.ask(" " * (1 << 20) + "{}")[1]["error"]["code"] == -32086, "too long")
        expect(bridge.ask("{}")[1]["error"]["code"] == -32600, "no method")
        for status, options in ((403, {"Origin": "https://elsewhere.example"}), (405, {"method": "GET"}),
                                (415, {"Content-Type": "text/plain"}), (204, {"method": "OPTIONS"})):
            expect(bridge.ask("{}", **options) == (status, None), f"{options} should have got {status}")
        gateway.kill()
        expect(bridge.ask(message("echo", [1]))[1]["error"]["code"] == -32084, "no gateway")
    finally:
        bridge.kill()


def main():
    gateway = Gateway()
    try:
        check_bridge(gateway)
    finally:
        gateway.kill()


if __name__ == "__main__":
    main()
