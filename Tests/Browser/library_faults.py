#!/usr/bin/env python3
"""Puts faults into copies of lastword.js, one at a time; library.mjs has to find each of them.

    python3 library_faults.py
    python3 library_faults.py WORDS...      runs the words, as the first does with those of library.mjs
"""
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Clients"))
from typeahead_faults import find_all  # noqa: E402

LIBRARY = HERE.parents[1] / "examples/clients/browser/lastword.js"
PATIENCE_SECONDS = 2

# What is wrong then, and what is put in the place of what.
FAULTS = [
    ("older results are shown", "if (newest === mine) resolve(result)", "resolve(result)"),
    ("older errors are shown", "if (newest !== mine) return;\n", "\n"),
    ("what somebody else superseded is an error", "if (error instanceof SupersededError) resolve(undefined)",
     "if (false) resolve(undefined)"),
    ("an older request goes on though nothing supersedes it", "if (!hasAsked) older?.abort();", ""),
    ("what is not wanted any more goes on", "newest = undefined;\n      older?.abort();", "newest = undefined;"),
    ("all clients share the keys of latest", 'key, scope: "connection", ', "key, "),
    ("a scope of one's own does not count", 'key, scope: "connection", ...options, signal',
     '...options, key, scope: "connection", signal'),
    ("a signal of one's own does not count", "AbortSignal.any([mine.signal, options.signal])", "mine.signal"),
    ("being superseded is an error as any other", "return new SupersededError(error);", "return new RPCError(error);"),
    ("on the profile of language servers it is", "data?.supersededBy !== undefined", "false"),
    ("a deadline is an error as any other", "? new TimeoutError(error)", "? new RPCError(error)"),
    ("what was told to stop has surely not run", '["cancelSent", "mayHaveCompleted"]', '["mayHaveCompleted"]'),
    ("what was never sent may have run", "mayHaveRun: false, cause }));", "mayHaveRun: true, cause }));"),
    ("what is lost has surely not run", "mayHaveRun: true, cause });", "mayHaveRun: false, cause });"),
    ("an abort says nothing over a WebSocket", 'this.write({ method: "$/cancelRequest", params: { id } });', ""),
    ("an abort says nothing of a POST", "abort?.abort();\n  }\n\n  // Over", "}\n\n  // Over"),
    ("an abort rejects with another reason", "this.#fail(entry, signal.reason)", "this.#fail(entry, new Error())"),
    ("an old signal does not count", "signal?.throwIfAborted();", ""),
    ("what is answered is taken back", "entry.forget?.();\n    return entry;", "return entry;"),
    ("it does not connect again", "this.#client.attempting();\n      this.start();", "this.#client.attempting();"),
    ("pauses stay the same", "Math.min(2 * this.nextMs, this.lastMs)", "this.nextMs"),
    ("pauses grow without bound", "Math.min(2 * this.nextMs, this.lastMs)", "2 * this.nextMs"),
    ("pauses never begin anew", "if (this.isReady) this.#settings.backOff.reset();", "if (this.isReady) ;"),
    ("without a queue requests wait", 'this.#queue || this.#state === "connecting";', "true;"),
    ("as many wait as like to", "waiting >= this.#room", "false"),
    ("what waits is not sent", "if (!entry.isSent && this.#link.isReady) this.#send(entry);", ";"),
    ("what waits waits for ever", "entry.timer = setTimeout(", "entry.timer = void (() => 0)("),
    ("it asks before it is known", "if (token === undefined) this.#begin();",
     "this.#begin(); if (token === undefined) return;"),
    ("a wrong token is tried again", "if (error.code === UNAUTHENTICATED)", "if (false)"),
    ("a gateway that has no time refuses for good", "if (error.code === UNAUTHENTICATED)", "if (true)"),
    ("POSTs do not say who it is", "{ Authorization: `Bearer ${token}` }", "{}"),
    ("each POST is of a session of its own", '"Lastword-Session": this.#session,',
     '"Lastword-Session": crypto.randomUUID(),'),
    ("all clients are of one session", '"Lastword-Session": this.#session,',
     '"Lastword-Session": "0123456789012345678901",'),
    ("POSTs overtake each other", "await this.#post(ordered(entry), ", "await this.#post(entry.message, "),
    ("an order of one's own does not count", "task: { order: number, ...message.task }",
     "task: { ...message.task, order: number }"),
    ("what has no key says an order", "if (message.task?.key === undefined) return message;", ""),
    ("no subprotocol is offered", "new WebSocket(url, [SUBPROTOCOL])", "new WebSocket(url, [])"),
    ("without WebSockets there is none", '&& WebSocket !== undefined', ""),
    ("redirects are followed", 'redirect: "error"', 'redirect: "follow"'),
    ("what is no JSON passes", 'return this.#lose(socket, "what came is no JSON");', "return;"),
    ("half a stream is a result", 'this.#client.lostOne(entry, "the response has no answer");',
     "this.#client.hear({}, entry);"),
    ("half a character is one", "body.pipeThrough(new TextDecoderStream()).getReader()",
     "body.pipeThrough(new TransformStream({ transform: (part, to) => "
     "to.enqueue(new TextDecoder().decode(part)) })).getReader()"),
    ("pieces are anybody's", "this.#pieces.get(params?.token)?.onPiece",
     "this.#pieces.values().next().value?.onPiece"),
    ("params with a token get another", "if (tokens.length > 0) return [params, tokens];", ""),
    ("what upstream asks is left open", "this.#link.write({ id, error: unknown });", ""),
    ("closing leaves what is open",
     "for (const entry of [...this.#open.values()]) this.#fail(entry, errorFor(entry));", ""),
    ("what is closed asks all the same", "if (this.#end) throw this.#end;", ""),
    ("it stays open when it is closed", "this.#end = end;\n    this.#link.stop();", "this.#end = end;"),
    ("an error of null is one", "if (error) answered?.reject", "if (error !== undefined) answered?.reject"),
]


def words(copy):
    return ["node", "--no-warnings", "--experimental-websocket", str(HERE / "library.mjs"), str(copy)]


if __name__ == "__main__":
    if len(sys.argv) > 1:
        os.execvp(sys.argv[2], sys.argv[2:])
    find_all(FAULTS, LIBRARY, HERE / "library_faults.py", PATIENCE_SECONDS, words)
