"""Drives examples/clients/python/lastword.py as Tests/Clients/minimal.py says.

    python3 driver.py DIRECTORY HOST PORT
    python3 driver.py --framed DIRECTORY HOST PORT
"""
import asyncio
import os
import ssl
import sys

arguments = [word for word in sys.argv[1:] if word != "--framed"]
sys.path.insert(0, arguments[0])
import lastword  # noqa: E402


async def outcome(call):
    try:
        return f"result {(await call)['q']}"
    except lastword.RPCError as error:
        flags = " unwanted" * error.is_unwanted + " may-have-run" * error.may_have_run
        return f"error {error.code}{flags}"
    except ConnectionError:
        return "lost"


async def main():
    ca, token = os.environ.get("LASTWORD_CA"), os.environ.get("LASTWORD_TOKEN")
    gateway = await lastword.connect(
        arguments[1], int(arguments[2]), framed="--framed" in sys.argv, tls=bool(ca), ca=ca)
    if token:
        await gateway.authenticate(token)
    calls = {}
    while line := await asyncio.to_thread(sys.stdin.readline):
        command, name, *rest = line.rstrip("\n").split(" ", 4)
        if command == "ask":
            key, ms, q = rest
            call = gateway.call("sleep", {"ms": int(ms), "q": q}, task={"key": key})
            calls[name] = asyncio.ensure_future(call)
        elif command == "call":
            calls[name] = asyncio.ensure_future(gateway.call(*rest))
        elif command == "cancel":
            calls[name].cancel()
        else:
            print(name, await outcome(calls[name]), flush=True)
    gateway.close()


try:
    asyncio.run(main())
except (lastword.RPCError, ssl.SSLError) as error:
    sys.exit(f"error: {error}")
