// A typeahead on lastword: the newest query has the last word. Node.js alone.
//
//     node typeahead.mjs HOST:PORT KEY
//     LASTWORD_TOKEN=… LASTWORD_CA=ca.pem node typeahead.mjs tls:HOST:PORT KEY
import { EventEmitter, once } from "node:events";
import { readFileSync } from "node:fs";
import net from "node:net";
import readline from "node:readline";
import tls from "node:tls";

const SUPERSEDED = -32080, SHUTTING_DOWN = -32085, UNAUTHENTICATED = -32087, CANCELLED = -32800;
const NOT_ALLOWED_STATUS = 77;
const FIRST_PAUSE_MS = 50, LAST_PAUSE_MS = 2000, CONNECT_MS = 5000;
const LINE_LIMIT = 4 << 20; // Characters.

/** The request was superseded or cancelled: not an error to show to anybody. */
class NotWanted extends Error {}
/** The connection went before the answer came. */
class Lost extends Error {}
/** An error that the user sees: what it lacks is 0, or empty. */
class Failure extends Error {
  constructor({ code, message }) {
    const known = Number.isInteger(code) ? code : 0;
    super(`${known} ${typeof message === "string" ? message : ""}`);
    this.code = known;
  }
}

/**
 * A connection that comes back, and a promise for each request that is open on it. Emits online and offline, and refused
 * where whoever answers is not to be trusted, or does not know who this is: trying again is of no use.
 */
class Gateway extends EventEmitter {
  #open = new Map();
  #lastId = 0;
  #pause = FIRST_PAUSE_MS;
  connected = false;

  constructor(address, { ca, token }) {
    super();
    this.isSecure = address.startsWith("tls:");
    if (this.isSecure) address = address.slice("tls:".length);
    this.token = token;
    const colon = address.lastIndexOf(":");
    const [host, port] = [address.slice(0, colon), Number(address.slice(colon + 1))];
    // A name may have several addresses: all of them are tried.
    this.target = { host, port, noDelay: true, autoSelectFamily: true };
    // If no authority is named, those count whom Node.js trusts.
    if (this.isSecure && ca) this.target.ca = readFileSync(ca);
    this.#connect();
  }

  #connect() {
    let parts = [], length = 0; // Of the next line, whose end has not come yet.
    this.socket = (this.isSecure ? tls : net).connect(this.target).setEncoding("utf8");
    this.socket.setTimeout(CONNECT_MS, () => this.#lose());
    this.socket.on(this.isSecure ? "secureConnect" : "connect", () => {
      // Nothing else is said before this is answered.
      if (this.token) this.#send({ id: 0, method: "lastword.authenticate", params: { token: this.token } });
      else this.#begin();
    });
    this.socket.on("data", (text) => {
      parts.push(text);
      length += text.length;
      if (length > LINE_LIMIT) return this.#lose();
      if (!text.includes("\n")) return;
      const lines = parts.join("").split("\n");
      parts = [lines.pop()];
      length = parts[0].length;
      for (const line of lines) if (!this.socket.destroyed) this.#hear(line);
    });
    // Whatever the error: "close" follows.
    this.socket.on("error", (error) => {
      if (this.socket.authorizationError) this.emit("refused", `certificate: ${error.message}`);
    });
    this.socket.on("close", () => this.#lose());
  }

  #begin() {
    this.socket.setTimeout(0);
    this.connected = true;
    this.emit("online");
  }

  #hear(line) {
    let message;
    try {
      message = JSON.parse(line);
      if (!message || typeof message !== "object" || Array.isArray(message)) throw new TypeError("no message");
    } catch {
      return this.#lose(); // Nothing behind this is to be trusted.
    }
    const { id, result, error } = message;
    const failure = (error ?? null) === null ? null : new Failure(error);
    if (!this.connected) {
      if (!failure) return this.#begin();
      if (failure.code === UNAUTHENTICATED) this.emit("refused", failure.message);
      return this.#lose();
    }
    this.#pause = FIRST_PAUSE_MS;
    if (failure?.code === SHUTTING_DOWN) return this.#lose();
    const answer = this.#open.get(id);
    if (!answer) return;
    this.#open.delete(id);
    if (!failure) answer.resolve(result);
    else if (failure.code === SUPERSEDED || failure.code === CANCELLED) answer.reject(new NotWanted());
    else answer.reject(failure);
  }

  #lose() {
    this.socket.removeAllListeners("close").removeAllListeners("data").destroy();
    if (this.connected) this.emit("offline");
    this.connected = false;
    for (const answer of this.#open.values()) answer.reject(new Lost());
    this.#open.clear();
    this.timer = setTimeout(() => this.#connect(), this.#pause * (0.5 + Math.random() / 2));
    this.#pause = Math.min(2 * this.#pause, LAST_PAUSE_MS);
  }

  #send(message) {
    this.socket.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
  }

  call(method, params, { task, signal }) {
    const id = ++this.#lastId;
    this.#send({ id, method, params, task });
    signal.addEventListener("abort", () => {
      if (!this.#open.has(id)) return;
      this.#send({ method: "$/cancelRequest", params: { id } });
      this.#open.get(id).reject(new NotWanted());
      this.#open.delete(id);
    });
    return new Promise((resolve, reject) => this.#open.set(id, { resolve, reject }));
  }

  close() {
    clearTimeout(this.timer);
    this.socket.removeAllListeners("close");
    if (this.connected) this.socket.destroySoon();
    else this.socket.destroy();
  }
}

/** The search box: what it shows is the answer to what stands in it. Emits idle. */
class Box extends EventEmitter {
  #newest = null; // The AbortController of what is open.

  constructor(gateway, key, show) {
    super();
    Object.assign(this, { gateway, show, task: { key, policy: "cancel" } });
  }

  get isIdle() {
    return this.#newest === null;
  }

  async type(text) {
    if (this.isIdle) this.show("spinner on");
    // The older request is left alone: the gateway supersedes it.
    const mine = (this.#newest = new AbortController());
    const params = { ms: 1000 - 50 * text.length, q: text };
    for (;;) {
      if (!this.gateway.connected) await once(this.gateway, "online");
      if (this.#newest !== mine) return;
      const [lost, ...lines] = await this.gateway.call("sleep", params, { task: this.task, signal: mine.signal }).then(
        (result) => [false, `shown ${result?.q ?? ""}`],
        (error) => [error instanceof Lost, ...(error instanceof Failure ? [`failed ${error.message}`] : [])]);
      if (this.#newest !== mine) return;
      if (!lost) return this.#settle(...lines);
    }
  }

  clear() {
    if (this.isIdle) return;
    this.#newest.abort();
    this.#settle();
  }

  #settle(...lines) {
    this.#newest = null;
    ["spinner off", ...lines].forEach(this.show);
    this.emit("idle");
  }
}

const [address, key] = process.argv.slice(2);
const show = (line) => console.log(line);
const { LASTWORD_CA: ca, LASTWORD_TOKEN: token } = process.env;
const gateway = new Gateway(address, { ca, token });
gateway.setMaxListeners(0); // Each query that is typed without a connection waits for one.
gateway.on("online", () => show("online")).on("offline", () => show("offline"));
gateway.on("refused", (why) => {
  show(`refused ${why}`);
  process.exit(NOT_ALLOWED_STATUS);
});
const box = new Box(gateway, key, show);

for await (const line of readline.createInterface({ input: process.stdin })) {
  const [, command, text] = line.match(/^(\S*) ?(.*)$/);
  if (command === "type") box.type(text);
  else if (command === "clear") box.clear();
  else if (command === "wait") {
    if (!box.isIdle) await once(box, "idle");
    show("idle");
  } else if (command === "quit") break;
}
box.clear();
gateway.close();
process.stdin.destroy();
