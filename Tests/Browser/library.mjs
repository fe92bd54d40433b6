// Holds examples/clients/browser/lastword.js against real gateways and contrary servers. Started by scripts/browser.
//
//     node --experimental-websocket library.mjs LASTWORD.JS
//
// LASTWORD_BINARY names the gateway, TYPEAHEAD_PATIENCE_SECONDS how long anything may take. What is wrong is said
// behind `error: `, with exit status 1.
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

const PATIENCE_MS = 1000 * Number(process.env.TYPEAHEAD_PATIENCE_SECONDS ?? 60);
const BACK_OFF = { firstMs: 20, lastMs: 100 };
const [libraryPath] = process.argv.slice(2);
const { WebSocket } = globalThis;
const directory = mkdtempSync(path.join(tmpdir(), "lastword-"));
process.on("exit", () => rmSync(directory, { recursive: true }));
// Away from the package.json beside it, whose word it is that this is a module.
const copy = path.join(directory, "lastword.mjs");
copyFileSync(libraryPath, copy);
const { connect, RPCError, SupersededError, TimeoutError, ConnectionLostError } = await import(copy);
const token = `lw_${randomBytes(32).toString("hex")}`;

class Wrong extends Error {}

function expect(condition, what) {
  if (!condition) throw new Wrong(what);
}

function same(found, wanted, what) {
  const [is, should] = [found, wanted].map((value) => JSON.stringify(value));
  expect(is === should, `${what}: ${is}, not ${should}`);
}

async function within(promise, what) {
  let timer;
  const tooLate = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Wrong(`in ${PATIENCE_MS} ms it did not come to this: ${what}`)), PATIENCE_MS);
  });
  return Promise.race([promise, tooLate]).finally(() => clearTimeout(timer));
}

/** The error with which it is rejected. */
function failure(promise, kind, what) {
  return within(promise.then(
    (value) => { throw new Wrong(`${what}: it was fulfilled with ${JSON.stringify(value)}`); },
    (error) => {
      expect(error instanceof kind, `${what}: ${error?.name}: ${error?.message}`);
      return error;
    }), what);
}

/** What comes one after the other, and is waited for. */
class Queue {
  items = [];
  takers = [];
  put(item) {
    const taker = this.takers.shift();
    if (taker) taker(item); else this.items.push(item);
  }
  take(what) {
    if (this.items.length > 0) return Promise.resolve(this.items.shift());
    return within(new Promise((resolve) => this.takers.push(resolve)), what);
  }
}

/** A JSON-RPC server that answers when it is told to, and counts what it hears. */
class Upstream {
  requests = new Queue();
  cancelled = new Queue();
  others = new Queue();
  heard = 0;
  sockets = new Set();

  async start() {
    this.server = net.createServer((socket) => {
      this.sockets.add(socket);
      socket.on("error", () => {});
      createInterface({ input: socket }).on("line", (line) => {
        this.heard += 1;
        const message = JSON.parse(line);
        const say = (members) => socket.write(`${JSON.stringify({ jsonrpc: "2.0", ...members })}\n`);
        if (message.method === "$/cancelRequest") this.cancelled.put(message.params.id);
        else if (message.method === undefined || message.id === undefined) this.others.put(message);
        else this.requests.put({ ...message, say, reply: (members) => say({ id: message.id, ...members }) });
      });
    });
    this.address = await listen(this.server);
    return this;
  }

  async take(query) {
    const request = await this.requests.take(`a request for ${query}`);
    same(request.params.q, query, "what is asked");
    return request;
  }

  async expectCancelled({ id }) { same(await this.cancelled.take("a cancel"), id, "what is cancelled"); }

  stop() {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

function listen(server) {
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(`127.0.0.1:${server.address().port}`)));
}

class Gateway {
  async start(...words) {
    this.words = words;
    this.process = spawn(process.env.LASTWORD_BINARY, ["serve", "--log-format", "text", ...words],
      { stdio: ["ignore", "ignore", "pipe"] });
    this.ended = new Promise((resolve) => this.process.on("exit", resolve));
    this.address = await within(new Promise((resolve, reject) => {
      createInterface({ input: this.process.stderr }).on("line", (line) => {
        const found = line.match(/Listening for JSON-RPC on (127\.0\.0\.1:\d+)/);
        if (found) resolve(found[1]);
      }).on("close", () => reject(new Wrong("the gateway ended before it listened")));
    }), "the gateway listens");
    return this;
  }

  async stop() {
    this.process.kill("SIGKILL");
    await this.ended;
  }
}

/** What one check is done with: a transport, and what it started, which ends with it. */
class Scene {
  endings = [];

  constructor(scheme) { this.scheme = scheme; }

  get isSocket() { return this.scheme === "ws"; }

  async upstream() {
    const upstream = await new Upstream().start();
    this.endings.push(() => upstream.stop());
    return upstream;
  }

  async gateway(upstream, ...words) {
    const saysWhere = words.includes("--config") || words.includes("--listen");
    const gateway = await new Gateway().start(...saysWhere ? [] : ["--listen", "127.0.0.1:0"],
      ...upstream ? ["--upstream", `tcp:${upstream.address}`] : [], ...words);
    this.endings.push(() => gateway.stop());
    return gateway;
  }

  /** One in the place of another, which is gone. */
  again({ address }, upstream) { return this.gateway(upstream, "--listen", address); }

  client({ address }, options = {}) {
    const states = new Queue();
    const client = connect(`${this.scheme}://${address}/rpc`, {
      ...(this.isSocket ? { WebSocket } : {}), backOff: BACK_OFF,
      onState: (state, error) => states.put({ state, error }), ...options,
    });
    this.endings.push(() => client.close());
    return Object.assign(client, { states });
  }

  async whole(...words) {
    const upstream = await this.upstream();
    const gateway = await this.gateway(upstream, ...words);
    return { upstream, gateway, client: this.client(gateway) };
  }

  async end() {
    for (const ending of this.endings.reverse()) await ending();
  }
}

async function state(client, wanted) {
  const found = await client.states.take(`the state ${wanted}`);
  same(found.state, wanted, "the state");
  return found;
}

/** States before it, such as those of attempts that fail, do not count. */
async function eventually(client, wanted) {
  for (;;) {
    const found = await client.states.take(`the state ${wanted}`);
    if (found.state === wanted) return found;
  }
}

const searching = (client) => client.latest("box", (request, q) => request("search", { q }));
const settled = (promise, log, name) => promise.then(
  (value) => log.push([name, value]), (error) => log.push([name, error.name]));

// MARK: What is held against both transports

const checks = {
  /** Who types sees the newest answer only, whatever comes when. */
  async typing(scene) {
    const { upstream, client } = await scene.whole();
    const search = searching(client), log = [];
    settled(search("s"), log, "s");
    const first = await upstream.take("s");
    settled(search("sw"), log, "sw");
    const second = await upstream.take("sw");
    await upstream.expectCancelled(first);
    const newest = search("swift");
    settled(newest, log, "swift");
    const third = await upstream.take("swift");
    await upstream.expectCancelled(second);
    second.reply({ result: "stale" });
    first.reply({ error: { code: 1, message: "stale" } });
    third.reply({ result: "fresh" });
    await within(newest, "the newest answer");
    await client.request("lastword.ping");
    same(log, [["swift", "fresh"]], "what was shown");
  },

  /** An older answer that came all the same is not shown, nor is its error. */
  async older(scene) {
    const { upstream, client } = await scene.whole();
    const search = client.latest("box", (request, q) => request("search", { q }, { policy: "concurrent" })), log = [];
    for (const q of ["a", "b", "c"]) settled(search(q), log, q);
    const asked = {};
    for (let count = 0; count < 3; count += 1) {
      const request = await upstream.requests.take("a request");
      asked[request.params.q] = request;
    }
    asked.a.reply({ result: "stale" });
    asked.b.reply({ error: { code: 1, message: "stale" } });
    await client.request("lastword.ping");
    same(log, [], "what older ones say");
    asked.c.reply({ error: { code: 7, message: "mine" } });
    while (log.length === 0) await client.request("lastword.ping");
    same(log, [["c", "RPCError"]], "what the newest one says");
  },

  /** By POST the older of two may arrive last: it is superseded all the same, and upstream never hears of it. */
  async overtaking(scene) {
    const upstream = await scene.upstream();
    const gateway = await scene.gateway(upstream);
    const held = [];
    const fetch = (...words) => {
      if (!words[1].body.includes('"old"')) return globalThis.fetch(...words);
      return new Promise((resolve, reject) => held.push(() => globalThis.fetch(...words).then(resolve, reject)));
    };
    const client = scene.client(gateway, { fetch });
    const older = failure(client.request("search", { q: "old" }, { key: "k" }), SupersededError, "the older one");
    const newer = client.request("search", { q: "new" }, { key: "k" });
    if (scene.isSocket) await upstream.take("old");
    const request = await upstream.take("new");
    for (const send of held) send();
    const { data } = await older;
    if (!scene.isSocket) same(data.upstream, "notSent", "what upstream heard");
    request.reply({ result: 1 });
    same(await within(newer, "the newer one"), 1, "its answer");
    if (scene.isSocket) return;
    // A key of somebody who counts for themselves.
    const own = failure(client.request("search", { q: "x" }, { key: "k", order: 0 }), SupersededError, "an own order");
    same((await own).data.upstream, "notSent", "what upstream heard");
  },

  /** Which error it is shows by its class, and whether upstream may have done the work. */
  async errors(scene) {
    const { upstream, client } = await scene.whole();
    const older = failure(client.request("search", { q: "a" }, { key: "k", policy: "cancel" }), SupersededError,
      "who is superseded");
    const first = await upstream.take("a");
    const queued = failure(client.request("search", { q: "b" }, { key: "k", debounceMs: 5000 }), SupersededError,
      "who waits is superseded");
    const superseded = await older;
    expect(superseded instanceof RPCError && superseded.code === -32080, "it is one of RPC, too");
    expect(superseded.mayHaveRun && superseded.data.key === "k", "it has been sent");
    await upstream.expectCancelled(first);
    const newest = client.request("search", { q: "c" }, { key: "k" });
    expect(!(await queued).mayHaveRun, "it has not been sent");
    (await upstream.take("c")).reply({ result: [1, "é€😀"] });
    same(await within(newest, "the result"), [1, "é€😀"], "a result");

    const slow = await failure(
      client.request("search", { q: "slow" }, { timeoutMs: 30 }), TimeoutError, "its time passes");
    expect(slow.code === -32083 && slow instanceof RPCError && slow.mayHaveRun, "it may have run");
    await upstream.take("slow");
    const failing = client.request("search", { q: "failing" });
    (await upstream.take("failing")).reply({ error: { code: 7, message: "no", data: [1] } });
    const error = await failure(failing, RPCError, "what upstream says");
    same([error.code, error.message, error.data, error.mayHaveRun], [7, "no", [1], false], "it comes as it is");
    expect(!(error instanceof SupersededError) && !(error instanceof TimeoutError), "it is no other one");
    const wrong = await failure(client.request("search", {}, { policy: "newest" }), RPCError, "a wrong task");
    same(wrong.code, -32602, "members of the task go as they are");
    same((await failure(client.request("lastword.nothing"), RPCError, "no such method")).code, -32601, "its code");
  },

  /** Who listens on the profile of language servers is superseded by another code. */
  async profile(scene) {
    const upstream = await scene.upstream();
    const file = path.join(directory, `profile-${scene.scheme}.toml`);
    writeFileSync(file, `[[listen]]\naddress = "127.0.0.1:0"\nerrorProfile = "lsp"\n`);
    const client = scene.client(await scene.gateway(upstream, "--config", file));
    const older = failure(client.request("search", { q: "a" }, { key: "k" }), SupersededError, "who is superseded");
    await upstream.take("a");
    const newer = client.request("search", { q: "b" }, { key: "k" });
    same((await older).code, -32801, "its code");
    (await upstream.take("b")).reply({ result: 1 });
    await newer;
  },

  /** A signal takes a request back, and what rejects is its reason. */
  async signals(scene) {
    const { upstream, client } = await scene.whole();
    const abort = new AbortController(), reason = new Error("enough");
    const taken = client.request("search", { q: "a" }, { signal: abort.signal });
    const first = await upstream.take("a");
    abort.abort(reason);
    expect(await failure(taken, Error, "what is taken back") === reason, "the reason is the signal's");
    await upstream.expectCancelled(first);
    const { heard } = upstream;
    const late = await failure(client.request("search", { q: "b" }, { signal: abort.signal }), Error, "an old signal");
    expect(late === reason, "its reason, too");
    same(await client.request("lastword.ping"), null, "a ping");
    same(upstream.heard, heard, "what upstream hears of it");
  },

  /** A notification goes out, with its task. */
  async notifications(scene) {
    const { upstream, client } = await scene.whole();
    await within(client.notify("note", { q: 1 }, { group: "tab" }), "that it is sent");
    same(await upstream.others.take("a notification"), { jsonrpc: "2.0", method: "note", params: { q: 1 } }, "it");
  },

  /** What somebody else superseded has nothing to show, and ends; what is cancelled stays silent. */
  async latest(scene) {
    const { upstream, gateway, client } = await scene.whole();
    const other = scene.client(gateway);
    const search = client.latest("box", (request, q) => q && request("search", { q }, { scope: "shared" }));
    const mine = search("mine");
    await upstream.take("mine");
    const theirs = other.request("search", { q: "theirs" }, { key: "box" });
    same(await within(mine, "somebody else's") ?? "nothing", "nothing", "what is shown");
    (await upstream.take("theirs")).reply({ result: 1 });
    await theirs;
    await upstream.cancelled.take("a cancel");

    const log = [];
    settled(search("more"), log, "more");
    const more = await upstream.take("more");
    same(await within(search(""), "no request"), "", "what needs no request");
    await upstream.expectCancelled(more);
    settled(search("unmounted"), log, "unmounted");
    const unmounted = await upstream.take("unmounted");
    search.cancel();
    await upstream.expectCancelled(unmounted);
    const own = new AbortController();
    const signalled = client.latest("signalled", (request) => request("search", { q: "own" }, { signal: own.signal }));
    const taken = signalled();
    await upstream.take("own");
    own.abort();
    same((await failure(taken, Error, "a signal of one's own")).name, "AbortError", "it");
    await failure(client.latest("throws", () => { throw new RangeError("mine"); })(), RangeError, "what it throws");
    same(log, [], "what is not wanted any more");
  },

  /** A key of latest is the client's own. */
  async scope(scene) {
    const { upstream, gateway, client } = await scene.whole();
    const both = [client, scene.client(gateway)].map(searching).map((search) => search("same"));
    const asked = [await upstream.take("same"), await upstream.take("same")];
    asked.forEach((request, place) => request.reply({ result: place }));
    same((await within(Promise.all(both), "both")).sort(), [0, 1], "both have an answer");
  },

  /** With a token one is known; without the right one nothing is asked. */
  async tokens(scene) {
    const upstream = await scene.upstream();
    const file = path.join(directory, `tokens-${scene.scheme}.toml`);
    writeFileSync(file, `[[listen]]\naddress = "127.0.0.1:0"\nauth = "required"\n[[principal]]\nname = "ada"\n` +
      `tokens = ["sha256:${createHash("sha256").update(token).digest("hex")}"]\n`);
    const gateway = await scene.gateway(upstream, "--config", file);
    const known = scene.client(gateway, { token });
    const answer = known.request("search", { q: "a" });
    (await upstream.take("a")).reply({ result: "for ada" });
    same(await within(answer, "the answer"), "for ada", "the result");
    for (const wrong of ["lw_wrong", undefined]) {
      const { heard } = upstream;
      const nobody = scene.client(gateway, { token: wrong });
      const { code } = await failure(nobody.request("search", { q: "b" }), RPCError, "who is not known");
      same(code, -32087, "the code");
      if (scene.isSocket && wrong) {
        const { error } = await state(nobody, "refused");
        same(error.code, -32087, "why");
        same((await failure(nobody.request("search", { q: "b" }), RPCError, "later ones")).code, -32087, "their code");
        same(nobody.state, "refused", "nothing is tried again");
      }
      same(upstream.heard, heard, "what upstream hears");
    }
  },

  /** A gateway that is killed takes what is open with it, and the one in its place is found. */
  async killed(scene) {
    const { upstream, gateway, client } = await scene.whole();
    const fate = failure(client.request("search", { q: "a" }), ConnectionLostError, "what is open");
    await upstream.take("a");
    if (scene.isSocket) await state(client, "online");
    await gateway.stop();
    expect((await fate).mayHaveRun, "it may have run");
    await state(client, "offline");
    const without = await failure(client.request("search", { q: "b" }), ConnectionLostError, "without a gateway");
    if (scene.isSocket) expect(!without.mayHaveRun, "it has not run");
    await scene.again(gateway, upstream);
    if (scene.isSocket) await eventually(client, "online");
    const answer = client.request("search", { q: "c" });
    (await upstream.take("c")).reply({ result: 1 });
    same(await within(answer, "the answer"), 1, "the result");
    if (!scene.isSocket) await eventually(client, "online");
  },

  /** Who wants it has what is asked meanwhile kept, in its order, and not more than that. */
  async queue(scene) {
    const upstream = await scene.upstream();
    const gateway = await scene.gateway(upstream);
    const client = scene.client(gateway, { queue: 3 });
    await client.request("lastword.ping");
    await gateway.stop();
    // By POST a gateway that is gone is noticed by what is asked.
    if (!scene.isSocket) await failure(client.request("lastword.ping"), ConnectionLostError, "what finds it gone");
    await eventually(client, "offline");
    const kept = ["a", "b"].map((q) => client.request("search", { q }, { timeoutMs: 50_000 }));
    const abort = new AbortController();
    const taken = client.request("search", { q: "taken" }, { signal: abort.signal });
    const tooMany = await failure(client.request("search", { q: "x" }), ConnectionLostError, "one too many");
    expect(!tooMany.mayHaveRun, "it has not run");
    abort.abort();
    same((await failure(taken, Error, "what is taken back in the queue")).name, "AbortError", "it");
    const late = await failure(client.request("search", { q: "late" }, { timeoutMs: 10 }), TimeoutError, "its time");
    expect(!late.mayHaveRun, "it has not run");
    await scene.again(gateway, upstream);
    await eventually(client, "online");
    // POSTs have no order.
    const asked = [await upstream.requests.take("the first"), await upstream.requests.take("the second")];
    const queries = asked.map(({ params: { q } }) => q);
    same(scene.isSocket ? queries : queries.sort(), ["a", "b"], "what was kept");
    for (const request of asked) request.reply({ result: request.params.q });
    same(await within(Promise.all(kept), "what was kept"), ["a", "b"], "the answers");
  },

  /** Who closes gets nothing more, and takes back what is open. */
  async closing(scene) {
    const { upstream, client } = await scene.whole();
    const fate = failure(client.request("search", { q: "a" }), ConnectionLostError, "what is open");
    const first = await upstream.take("a");
    client.close();
    expect((await fate).mayHaveRun, "it may have run");
    await upstream.expectCancelled(first);
    const later = await failure(client.request("search", { q: "b" }), ConnectionLostError, "later ones");
    expect(!later.mayHaveRun && client.state === "closed", "nothing is asked");
    expect(!(await failure(client.notify("note"), ConnectionLostError, "notifications")).mayHaveRun, "nor told");
    client.close();
  },

  /** Of a shared upstream there is no progress, but an answer. */
  async pieces(scene) {
    const { upstream, client } = await scene.whole();
    const log = [];
    const answer = client.request("search", { q: "a" }, { onPiece: (piece) => log.push(piece) });
    const request = await upstream.take("a");
    const { _meta: { progressToken } } = request.params;
    request.say({ method: "notifications/progress", params: { progressToken, progress: 1 } });
    request.reply({ result: "all" });
    same([await within(answer, "the answer"), log], ["all", []], "what comes");
  },

  /** Progress comes over a connection with an upstream of its own, and before the answer; POSTs have no such thing. */
  async progress(scene) {
    const { upstream, client } = await scene.whole("--per-connection");
    if (!scene.isSocket) {
      const { code } = await failure(client.request("search", { q: "a" }, { onPiece() {} }), RPCError, "a POST");
      return same(code, -32600, "its code");
    }
    const log = [];
    const ask = (q, params) => client.request("search", { q, ...params }, { onPiece: (piece) => log.push([q, piece]) })
      .then((result) => log.push([q, result]));
    const both = [ask("a", { partialResultToken: 7 }), ask("b")];
    const [first, second] = [await upstream.take("a"), await upstream.take("b")];
    const { _meta: { progressToken } } = second.params;
    expect(progressToken !== undefined && first.params._meta === undefined, "a token only where there is none");
    const tell = (method, params) => first.say({ method, params });
    tell("$/progress", { token: 7, value: "one" });
    tell("$/progress", { token: "7", value: "somebody else's" });
    tell("notifications/progress", { progressToken, progress: 1 });
    tell("$/progress", { token: 7, value: "two" });
    first.reply({ result: "all" });
    tell("$/progress", { token: 7, value: "too late" });
    second.reply({ result: "all" });
    await within(Promise.all(both), "the answers");
    same(log, [["a", "one"], ["b", { progressToken, progress: 1 }], ["a", "two"], ["a", "all"], ["b", "all"]], "it");
    await failure(client.request("search", [1], { onPiece() {} }), TypeError, "no place for a token");
    first.say({ id: "q", method: "window/ask" });
    const { id, error } = await upstream.others.take("an answer");
    same([id, error.code], ["q", -32601], "what upstream asks");
  },
};

// MARK: What no real gateway does

/** An HTTP server that does as it is told with each POST. */
async function contrary(scene, handle) {
  const server = http.createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (part) => { text += part; })
      .on("end", () => handle(request.headers, JSON.parse(text), response, request.url));
  });
  scene.endings.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { address: await listen(server) };
}

/** A socket that does as it is told. */
class Puppet extends EventTarget {
  static made = new Queue();
  sent = new Queue();
  isClosed = false;
  constructor(url, protocols) {
    super();
    Object.assign(this, { url, protocols });
    Puppet.made.put(this);
  }
  send(text) { this.sent.put(JSON.parse(text)); }
  close() { this.isClosed = true; }
  happen(name, members) { this.dispatchEvent(Object.assign(new Event(name), members)); }
  say(message) { this.happen("message", { data: typeof message === "string" ? message : JSON.stringify(message) }); }
}

const oddities = {
  /** Each POST says what it is, whose, and of which session. */
  async heads(scene) {
    const heard = [];
    const server = await contrary(scene, (headers, message, response) => {
      heard.push(headers);
      response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: 1 }));
    });
    const [one, other] = [scene.client(server, { token }), scene.client(server)];
    for (const client of [one, one, other]) await client.request("search", {});
    same(heard.map((headers) => headers["content-type"]), Array(3).fill("application/json"), "what it is");
    same(heard.map((headers) => headers.authorization ?? ""), [`Bearer ${token}`, `Bearer ${token}`, ""], "who it is");
    const sessions = heard.map((headers) => headers["lastword-session"]);
    expect(sessions.every((name) => /^[\w-]{22,128}$/.test(name)), `sessions are ${sessions}`);
    expect(sessions[0] === sessions[1] && sessions[1] !== sessions[2], "a client has one of its own");
  },

  /** An event stream is read however it is cut, and one that breaks off is no answer. */
  async streams(scene) {
    const piece = (value) => ({ jsonrpc: "2.0", method: "$/progress", params: { token: "t", value } });
    const fetch = async (_, { headers, body }) => {
      const { id, params } = JSON.parse(body);
      expect(headers.Accept.startsWith("text/event-stream"), "it is asked for");
      const answers = params.q === "half" ? [] : [{ jsonrpc: "2.0", id, result: "all" }];
      const text = [piece("é€"), piece(2), ...answers]
        .map((message) => `: comment\r\ndata: ${JSON.stringify(message)}\r\n\r\n`).join("");
      const bytes = ReadableStream.from([...Buffer.from(text)].map((byte) => Uint8Array.of(byte)));
      return new Response(bytes, { headers: { "Content-Type": "text/event-stream" } });
    };
    const client = scene.client({ address: "gateway.test" }, { fetch }), log = [];
    const ask = (q) => client.request("search", { q, workDoneToken: "t" }, { onPiece: (value) => log.push(value) });
    same(await within(ask("whole"), "the answer"), "all", "the answer");
    same(log, ["é€", 2], "pieces");
    expect((await failure(ask("half"), ConnectionLostError, "half a stream")).mayHaveRun, "it may have run");
  },

  /** What is no answer to a POST says that the work may have been done. */
  async proxies(scene) {
    let next;
    const server = await contrary(scene, (_, message, response, url) => {
      if (url === "/elsewhere") response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: 1 }));
      else next(response, message);
    });
    const client = scene.client(server);
    const ways = [
      (response) => response.writeHead(502).end("<h1>Bad Gateway</h1>"), (response) => response.destroy(),
      (response) => response.end(), (response) => response.end("null"), (response) => response.end('{"jsonrpc":"2.0"'),
      (response) => response.writeHead(307, { Location: "/elsewhere" }).end(),
    ];
    for (next of ways) {
      const lost = await failure(client.request("search", {}), ConnectionLostError, String(next));
      expect(lost.mayHaveRun, "it may have run");
    }
    const error = { code: -32082, message: "overloaded", data: { upstream: "notSent" } };
    next = (response, { id }) => response.writeHead(429).end(JSON.stringify({ jsonrpc: "2.0", id, error }));
    const busy = await failure(client.request("search", {}), RPCError, "an error with a status of its own");
    expect(busy.code === -32082 && !busy.mayHaveRun, "it comes as it is");
  },

  /** Without WebSockets ws: is spoken by POST. */
  async fallback(scene) {
    const gateway = await scene.gateway();
    const given = globalThis.WebSocket;
    try {
      delete globalThis.WebSocket;
      same(await scene.client(gateway, { WebSocket: undefined }).request("echo", [1]), [1], "an echo");
      const socket = connect(`ws://${gateway.address}`);
      scene.endings.push(() => socket.close());
      same(await within(socket.request("echo", [2]), "an echo"), [2], "an echo");
    } finally {
      globalThis.WebSocket = given;
    }
    let thrown;
    try { connect("ftp://127.0.0.1/"); } catch (error) { thrown = error; }
    expect(thrown instanceof TypeError, "another protocol is none");
  },

  /** Nobody is asked before who asks is known; pauses double, and begin anew with a word from the gateway. */
  async sockets() {
    // Pauses are noted and over at once; whatever is longer is patience.
    const real = globalThis.setTimeout, pauses = [], longestMs = 350;
    globalThis.setTimeout = (handle, ms, ...words) => {
      if (ms > 2 * longestMs) return real(handle, ms, ...words);
      pauses.push(ms);
      return real(handle, 0, ...words);
    };
    let client;
    try {
      client = connect("ws://gateway.test/", { WebSocket: Puppet, token, backOff: { firstMs: 100, lastMs: longestMs } });
      const fate = failure(client.request("search", { q: "first" }), ConnectionLostError, "what waits for the attempt");
      let socket = await Puppet.made.take("a socket");
      same(socket.protocols, ["lastword.1"], "the subprotocol");
      same(socket.sent.items, [], "what is said before it is open");
      pauses.length = 0;
      socket.happen("close", { code: 1006, reason: "" });
      const { message } = await failure(client.request("search", {}), ConnectionLostError, "between attempts");
      same(message, "there is no connection", "why it is not sent");
      expect(!(await fate).mayHaveRun, "it was not sent");
      for (let attempt = 0; attempt < 3; attempt += 1) {
        socket = await Puppet.made.take("another socket");
        socket.happen("close", { code: 1006, reason: "" });
      }
      [100, 200, 350, 350].forEach((most, place) => {
        expect(pauses[place] <= most && pauses[place] >= most / 2, `pause ${place} is ${pauses[place]} of ${most}`);
      });
      socket = await Puppet.made.take("another socket");
      const asked = client.request("search", { q: "second" });
      socket.happen("open");
      const login = await socket.sent.take("who it is");
      same([login.method, login.params], ["lastword.authenticate", { token }], "who it is");
      same(socket.sent.items, [], "what is asked before it is known");
      socket.say({ jsonrpc: "2.0", id: login.id, error: { code: -32082, message: "busy" } });
      expect(!(await failure(asked, ConnectionLostError, "what waits")).mayHaveRun, "it was not sent");
      expect(socket.isClosed, "it is given up");
      socket = await Puppet.made.take("another socket");
      socket.happen("open");
      const { id } = await socket.sent.take("who it is");
      const { length } = pauses;
      const abort = new AbortController();
      const third = client.request("search", { q: "third" }, { signal: abort.signal });
      socket.say({ jsonrpc: "2.0", id, result: { principal: "ada" } });
      const { id: number } = await socket.sent.take("a request");
      // What nobody waits for is passed over.
      const others = [{ id: null, error: {} }, { id: 99, result: 1 }, [], null, 7, { method: "$/progress" }];
      for (const other of others) socket.say(other);
      socket.say({ jsonrpc: "2.0", id: number, error: null, result: 3 });
      same(await third, 3, "the answer");
      abort.abort();
      same(socket.sent.items, [], "what is said of it behind its answer");
      const open = client.request("search", { q: "fourth" });
      socket.say("nonsense");
      expect((await failure(open, ConnectionLostError, "behind nonsense")).mayHaveRun && socket.isClosed, "it ends");
      const pause = pauses[length];
      expect(pause >= 50 && pause <= 100, `pauses begin anew, not with ${pause}`);
      socket = await Puppet.made.take("another socket");
      socket.happen("open");
      const again = client.request("search", { q: "fifth" });
      socket.say({ jsonrpc: "2.0", id: (await socket.sent.take("who it is")).id, result: null });
      expect((await socket.sent.take("a request")).id > number, "ids are not used again");
      socket.happen("message", { data: "{}" });
      client.close();
      await failure(again, ConnectionLostError, "what is open");
      expect(socket.isClosed && Puppet.made.items.length === 0, "it ends for good");
    } finally {
      globalThis.setTimeout = real;
      client?.close();
    }
  },
};

// MARK: What the README shows

const README = new URL("../../examples/clients/browser/README.md", import.meta.url);

/** A module that stands in the README, with something small in the place of the one that it imports. */
async function shown(imported, stub) {
  const blocks = [...readFileSync(README, "utf8").matchAll(/^```js\n(.*?)^```$/gms)].map(([, text]) => text);
  const text = blocks.find((block) => block.includes(`"${imported}"`));
  expect(text !== undefined, `the README imports no ${imported}`);
  const name = imported.replace("/", "-");
  writeFileSync(path.join(directory, `${name}.mjs`), stub);
  writeFileSync(path.join(directory, `with-${name}.mjs`), text.replace(`"${imported}"`, `"./${name}.mjs"`));
  return [await import(path.join(directory, `with-${name}.mjs`)), await import(path.join(directory, `${name}.mjs`))];
}

/** As much of React as a component with states and effects needs. */
const REACT = `
let cells = [], place = 0, effects = [];
export const useState = (first) => {
  const mine = place++;
  if (!(mine in cells)) cells[mine] = { value: typeof first === "function" ? first() : first };
  const cell = cells[mine];
  return [cell.value, (value) => { cell.value = value; }];
};
export const useEffect = (run, inputs) => {
  const mine = place++, before = cells[mine];
  if (before && before.inputs.every((input, index) => Object.is(input, inputs[index]))) return;
  cells[mine] = { inputs, end: () => {} };
  effects.push(() => { before?.end(); cells[mine].end = run() ?? (() => {}); });
};
export function render(component) {
  place = 0;
  const shown = component();
  for (const run of effects.splice(0)) run();
  return shown;
}
export function unmount() { for (const cell of cells.splice(0)) cell.end?.(); }
`;

/** As much of Svelte as a store needs. */
const SVELTE = `
export function writable(value, start) {
  const listeners = new Set();
  let end;
  return {
    set: (next) => { value = next; for (const listener of listeners) listener(value); },
    subscribe: (listener) => {
      if (listeners.size === 0) end = start?.();
      listeners.add(listener);
      listener(value);
      return () => { listeners.delete(listener); if (listeners.size === 0) end?.(); };
    },
  };
}
`;

const examples = {
  /** A component shows the newest, and takes back what is open when it goes. */
  async react(scene) {
    const [{ useSearch }, { render, unmount }] = await shown("react", REACT);
    const { upstream, client } = await scene.whole();
    const show = (q) => render(() => useSearch(client, "box", q));
    show("a");
    const first = await upstream.take("a");
    show("b");
    const second = await upstream.take("b");
    await upstream.expectCancelled(first);
    first.reply({ result: "stale" });
    second.reply({ result: "fresh" });
    while (show("b") === undefined) await client.request("lastword.ping");
    same(show("b"), "fresh", "what it shows");
    show("c");
    const third = await upstream.take("c");
    unmount();
    await upstream.expectCancelled(third);
    same(upstream.requests.items.length, 0, "what else is asked");
  },

  /** So does a store, when nobody subscribes any more. */
  async svelte(scene) {
    const [{ searchStore }] = await shown("svelte/store", SVELTE);
    const { upstream, client } = await scene.whole();
    const store = searchStore(client, "box"), values = [];
    const unsubscribe = store.subscribe((value) => values.push(value ?? null));
    store.type("a");
    const first = await upstream.take("a");
    const newest = store.type("b");
    const second = await upstream.take("b");
    await upstream.expectCancelled(first);
    second.reply({ result: "fresh" });
    await within(newest, "the newest");
    same(values, [null, "fresh"], "its values");
    store.type("c");
    const third = await upstream.take("c");
    unsubscribe();
    await upstream.expectCancelled(third);
  },
};

let status = 0;

async function run(name, check, scheme) {
  const scene = new Scene(scheme);
  try {
    await check(scene);
  } catch (error) {
    status = 1;
    error.message = `${name} (${scheme}): ${error.message}`;
    throw error;
  } finally {
    await scene.end();
  }
}

// Where a check has failed, what it left open is rejected when its scene ends. Rejections come here, too.
process.on("uncaughtException", (error) => {
  if (status === 0) console.error("error: nobody handles this: %s", error?.stack);
  status = 1;
});
try {
  for (const [name, check] of Object.entries(checks)) {
    const both = await Promise.allSettled(["ws", "http"].map((scheme) => run(name, check, scheme)));
    for (const { reason } of both.filter((one) => one.status === "rejected")) throw reason;
  }
  for (const [name, check] of Object.entries(oddities)) await run(name, check, "http");
  for (const [name, check] of Object.entries(examples)) await run(name, check, "ws");
  // Nobody's rejections come behind what is done by now.
  await new Promise((resolve) => setImmediate(resolve));
  if (status !== 0) throw new Wrong("a rejection was nobody's");
  const [both, others] = [[checks], [oddities, examples]].map((all) => all.flatMap(Object.keys).length);
  console.log(`${2 * both + others} checks of lastword.js`);
} catch (error) {
  console.error("error: %s", error instanceof Wrong ? error.message : error.stack);
  status = 1;
}
process.exit(status);
