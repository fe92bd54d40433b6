#!/usr/bin/env python3
"""Holds the minimal clients of examples/clients, and the bridge for web pages, against a real gateway.

    python3 minimal.py

LASTWORD_BINARY names the gateway. Started by scripts/typeahead.
"""
import http.client
import json
import pathlib
import subprocess
import sys
import threading

from typeahead import PATIENCE_SECONDS, Gateway, Program, expect, take

CLIENTS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "clients"
# Each asks for something slow under a key, then for something quick, then for what fails, and says what came.
PYTHON = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
import lastword

async def outcome(call):
    try:
        return await call
    except lastword.RPCError as error:
        return [error.code, error.is_unwanted]

async def main():
    for framed in (False, True):
        gateway = await lastword.connect(sys.argv[2], int(sys.argv[3]), framed=framed)
        task = {"key": "box"}
        slow = asyncio.ensure_future(outcome(gateway.call("sleep", {"ms": 60000}, task=task)))
        quick = asyncio.ensure_future(outcome(gateway.call("sleep", {"ms": 1, "q": "é\u2028"}, task=task)))
        print(await slow, await quick, await outcome(gateway.call("nothing")), sep="; ")
        left = asyncio.ensure_future(gateway.call("sleep", {"ms": 60000}, task={"key": "left"}))
        await asyncio.sleep(0)
        left.cancel()
        while (await gateway.call("lastword.inspect", {"key": "left"}))["count"]:
            pass
        gateway.close()

asyncio.run(main())
"""
NODE = """
const { connect } = await import(`file://${process.argv[1]}/lastword.mjs`);
const outcome = (promise) => promise.catch((error) => [error.code, error.isUnwanted]);
const gateway = connect({ host: process.argv[2], port: Number(process.argv[3]) });
const task = { key: "box" };
const slow = outcome(gateway.call("sleep", { ms: 60000 }, { task }));
const quick = outcome(gateway.call("sleep", { ms: 1, q: "é\\u2028" }, { task }));
console.log(JSON.stringify([await slow, await quick, await outcome(gateway.call("nothing"))]));
const leaving = new AbortController();
const left = outcome(gateway.call("sleep", { ms: 60000 }, { signal: leaving.signal }));
leaving.abort();
console.log(JSON.stringify(await left));
gateway.close();
"""
RUBY = """
require "#{ARGV[0]}/lastword"
gateway = Lastword.new(ARGV[1], Integer(ARGV[2]))
outcome = ->(*words, **task) { gateway.call(*words, **task) rescue [$!.code, $!.unwanted?] }
slow = Thread.new { outcome.("sleep", { ms: 60000 }, task: { key: "box" }) }
Thread.pass until gateway.call("lastword.inspect", { key: "box" })["count"] == 1
quick = outcome.("sleep", { ms: 1, q: "\\u00e9\\u2028" }, task: { key: "box" })
puts JSON.generate([slow.value, quick, outcome.("nothing")])
gateway.close
"""
SUPERSEDED, UNKNOWN = [-32080, True], [-32601, False]
QUICK = {"ms": 1, "q": "é\u2028"}


def said(words, script, directory, gateway):
    host, port = gateway.address.rsplit(":", 1)
    result = subprocess.run([*words, script, str(CLIENTS / directory), host, port], capture_output=True, text=True,
                            timeout=PATIENCE_SECONDS)
    expect(result.returncode == 0, f"{words[0]}: {result.stderr}")
    return result.stdout.rstrip("\n").split("\n")


def check_clients(gateway):
    python = said([sys.executable, "-c"], PYTHON, "python", gateway)
    expect(python == [f"{SUPERSEDED}; {QUICK}; {UNKNOWN}"] * 2, f"Python: {python}")
    node = [json.loads(line) for line in said(["node", "--input-type=module", "-e"], NODE, "nodejs", gateway)]
    expect(node == [[SUPERSEDED, QUICK, UNKNOWN], [-32800, True]], f"Node.js: {node}")
    ruby = [json.loads(line) for line in said(["ruby", "-e"], RUBY, "ruby", gateway)]
    expect(ruby == [[SUPERSEDED, QUICK, UNKNOWN]], f"Ruby: {ruby}")


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
        check_clients(gateway)
        check_bridge(gateway)
    finally:
        gateway.kill()
    print("detail: 3 minimal clients and a bridge")


if __name__ == "__main__":
    main()
