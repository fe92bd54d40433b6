// A JSON-RPC upstream handler that honours cancellation. Node.js alone.
//
//     node upstream.mjs [--port PORT] [--unix PATH]
//
// It prints the address it listens on. What it answers, and when, is said in examples/upstreams/README.md. To make it
// your own, replace the `methods`.
import fs from "node:fs";
import net from "node:net";
import { setImmediate, setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";

const LINE_LIMIT_BYTES = 1 << 20;
const OPEN_LIMIT = 1000; // Requests of one connection that are worked on at once.
const GRACE_MS = 5000; // What is open at the end has this long; then it is cancelled.
const FLUSH_MS = 1000;
const SLEEP_LIMIT_MS = 3_600_000;
const PRIMES_LIMIT = 100_000_000;
const PIECE_NUMBERS = 100; // How many are looked at in one go: not more than a few milliseconds.
const PARSE_ERROR = -32700, INVALID_REQUEST = -32600, METHOD_NOT_FOUND = -32601, INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603, CANCELLED = -32800, REFUSED = -32000;

/** What a request is answered with instead of a result. */
class Failure extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const counts = { started: 0, finished: 0, cancelled: 0, pieces: 0 };
const working = new Set(); // A promise for each request that was begun and has not ended.

/** What is done for requests. The signal says when it is not wanted any more; then it throws an AbortError. */
const methods = new Map(Object.entries({
  echo: async (params) => params ?? null,

  async sleep(params, signal) {
    await setTimeout(wholeNumber(params, "ms", SLEEP_LIMIT_MS), undefined, { signal });
    return params;
  },

  /** Counts them the long way, piece by piece. */
  async primes(params, signal) {
    const below = wholeNumber(params, "below", PRIMES_LIMIT);
    let count = 0;
    for (let first = 0; first < below; first += PIECE_NUMBERS) {
      // Everybody else's turn, that of the cancel for this very request among them.
      await setImmediate();
      signal.throwIfAborted();
      for (let n = first; n < Math.min(first + PIECE_NUMBERS, below); n++) if (isPrime(n)) count++;
      counts.pieces++;
    }
    return { primes: count };
  },

  async fail(params) {
    const { code, message } = params ?? {};
    if (!Number.isSafeInteger(code) || typeof message !== "string")
      throw new Failure(INVALID_PARAMS, '"code" has to be a whole number and "message" a text');
    throw new Failure(code, message);
  },

  async crash() {
    throw new TypeError("a mistake that nobody thought of");
  },

  async abandon() {
    await setTimeout(1000, undefined, { signal: AbortSignal.abort() });
  },

  async stats() {
    return { ...counts, open: counts.started - counts.finished - counts.cancelled };
  },
}));

function isPrime(number) {
  for (let divisor = 2; divisor * divisor <= number; divisor++) if (number % divisor === 0) return false;
  return number > 1;
}

function wholeNumber(params, name, most) {
  const value = params?.[name];
  if (!Number.isInteger(value) || value < 0 || value > most)
    throw new Failure(INVALID_PARAMS, `"${name}" has to be a whole number from 0 to ${most}`);
  return value;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function parse(line) {
  try {
    return JSON.parse(utf8.decode(line));
  } catch {
    throw new Failure(PARSE_ERROR, "Parse error");
  }
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether the very same id can be sent back: JavaScript rounds numbers that are larger. */
const isId = (value) =>
  typeof value === "string" || value === null || (typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER);

function checkEnvelope({ jsonrpc, method, params }) {
  if (jsonrpc !== "2.0" || typeof method !== "string")
    throw new Failure(INVALID_REQUEST, 'A request has "jsonrpc":"2.0" and a method');
  if (typeof (params ?? {}) !== "object") throw new Failure(INVALID_REQUEST, "Params are an object or an array");
}

/** The members of an answer that say how the work ended. */
async function outcome(work, params, signal) {
  try {
    return { result: await work(params, signal) };
  } catch (error) {
    // A part of the work that was given up, with a signal of its own, throws the same.
    if (signal.aborted && error?.name === "AbortError") return failed(new Failure(CANCELLED, "Request cancelled"));
    if (error instanceof Failure && error.code !== CANCELLED) return failed(error);
    console.error("a request failed:", error);
    return failed(new Failure(INTERNAL_ERROR, "Internal error"));
  }
}

const failed = ({ code, message }) => ({ error: { code, message } });

const connections = new Set();
let stopping = false;

/** What is open on one connection: an AbortController for each request, by its id. */
class Connection {
  #parts = []; // Of the next line, whose end has not come yet.
  #length = 0;
  #open = new Map();

  constructor(socket) {
    this.socket = socket;
    connections.add(this);
    socket.on("data", (data) => this.#receive(data));
    // Who does not read answers is not listened to: the answers would pile up here.
    socket.on("drain", () => socket.resume());
    // Whatever the error: "close" follows.
    socket.on("error", () => {});
    socket.on("end", () => this.cancelAll());
    socket.on("close", () => {
      connections.delete(this);
      this.cancelAll();
    });
  }

  cancelAll() {
    for (const controller of this.#open.values()) controller.abort();
  }

  #receive(data) {
    this.#parts.push(data);
    this.#length += data.length;
    if (!data.includes("\n") && this.#length <= LINE_LIMIT_BYTES) return;
    const bytes = Buffer.concat(this.#parts);
    let start = 0;
    for (let end; (end = bytes.indexOf("\n", start)) >= 0; start = end + 1) {
      if (end - start > LINE_LIMIT_BYTES) return this.socket.destroy();
      const line = bytes.subarray(start, end);
      if (line.toString("latin1").trim()) this.#hear(line);
    }
    this.#parts = [bytes.subarray(start)];
    this.#length = bytes.length - start;
    if (this.#length > LINE_LIMIT_BYTES) this.socket.destroy();
  }

  #hear(line) {
    let id = null, message;
    try {
      message = parse(line);
      if (!isObject(message)) throw new Failure(INVALID_REQUEST, "A message is one object");
      if (!("method" in message) && ("result" in message || "error" in message)) return; // Nothing was asked.
      if (!isId(message.id ?? null)) throw new Failure(INVALID_REQUEST, "An id is a text or a number that can be held");
      id = message.id ?? null;
      checkEnvelope(message);
    } catch (failure) {
      return this.#answer(id, failed(failure));
    }
    if ("id" in message) this.#request(id, message);
    else this.#notification(message);
  }

  async #request(id, { method, params }) {
    try {
      this.#answer(id, await this.#begin(id, method, params));
    } catch (failure) {
      this.#answer(id, failed(failure));
    }
  }

  #notification({ method, params }) {
    if (method === "$/cancelRequest") this.#open.get(params?.id)?.abort();
    // Nobody hears of it if it is refused.
    else this.#begin(Symbol(method), method, params).catch(() => {});
  }

  /** Does what is asked, and gives what to answer; throws what keeps it from beginning. */
  async #begin(key, method, params) {
    const work = methods.get(method);
    if (!work) throw new Failure(METHOD_NOT_FOUND, "Method not found");
    if (this.#open.has(key)) throw new Failure(INVALID_REQUEST, "A request with this id is open");
    if (this.#open.size >= OPEN_LIMIT) throw new Failure(REFUSED, "Too many open requests");
    if (stopping) throw new Failure(REFUSED, "Shutting down");
    const controller = new AbortController();
    this.#open.set(key, controller);
    counts.started++;
    const ended = outcome(work, params, controller.signal);
    working.add(ended);
    const members = await ended;
    working.delete(ended);
    this.#open.delete(key);
    if (members.error?.code === CANCELLED) counts.cancelled++;
    else counts.finished++;
    return members;
  }

  #answer(id, members) {
    if (!this.socket.writable) return;
    let text;
    try {
      text = JSON.stringify({ jsonrpc: "2.0", id, ...members });
    } catch (error) {
      console.error("a result is nothing that can be said in JSON:", error);
      return this.#answer(id, failed(new Failure(INTERNAL_ERROR, "Internal error")));
    }
    if (!this.socket.write(`${text}\n`)) this.socket.pause();
  }
}

/** Time passes, if there is anything else to wait for. */
const pass = (milliseconds) => setTimeout(milliseconds, undefined, { ref: false });

/** Takes nothing new, lets what is open end, cancels what takes too long, and says goodbye. */
async function stop(server, own) {
  stopping = true;
  // It would remove the socket that another has put in this one's place by now, and where nobody reaches this one.
  if (own === inode(server.address())) server.close();
  const allEnded = Promise.allSettled(working);
  await Promise.race([allEnded, pass(GRACE_MS)]);
  for (const connection of connections) connection.cancelAll();
  await Promise.race([allEnded, pass(FLUSH_MS)]);
  await setImmediate(); // The last answers are written in between.
  for (const { socket } of connections) socket.destroySoon();
  await pass(FLUSH_MS);
  process.exit();
}

/** Where to listen: a Unix socket takes the place of one that was left behind. */
function place({ port, unix }) {
  if (unix === undefined) return { host: "127.0.0.1", port: Number(port) };
  if (fs.lstatSync(unix, { throwIfNoEntry: false })?.isSocket()) fs.unlinkSync(unix);
  return { path: unix };
}

/** Of a Unix socket's file; nothing for an address that is no path. */
const inode = (path) => (typeof path === "string" ? fs.lstatSync(path, { throwIfNoEntry: false })?.ino : undefined);

function exit(error) {
  console.error(`error: ${error.message}`);
  process.exit(1);
}

try {
  const { values } = parseArgs({ options: { port: { type: "string", default: "0" }, unix: { type: "string" } } });
  const server = net.createServer({ noDelay: true }, (socket) => new Connection(socket));
  server.on("error", (error) => (server.listening ? console.error("no connection was made:", error) : exit(error)));
  server.listen(place(values), () => {
    const address = server.address();
    const own = inode(address);
    for (const name of ["SIGTERM", "SIGINT"]) process.once(name, () => stop(server, own));
    console.log(typeof address === "string" ? `unix:${address}` : `tcp:127.0.0.1:${address.port}`);
  });
} catch (error) {
  exit(error);
}
