// A client of lastword for web pages and for Node.js 20 and newer: this module alone. Its types are in lastword.d.ts.
//
//     const client = connect("ws://127.0.0.1:5278");
//     const search = client.latest("search", (request, q) => request("search", { q }));
//     box.oninput = async () => show(await search(box.value));

const SUBPROTOCOL = "lastword.1";
const SUPERSEDED = -32080, DEADLINE_EXCEEDED = -32083, UNAUTHENTICATED = -32087;
const CONTENT_MODIFIED = -32801, METHOD_NOT_FOUND = -32601;
const FIRST_PAUSE_MS = 100, LAST_PAUSE_MS = 10_000, CONNECT_MS = 10_000;
const WAITING = 100, SESSION_BYTES = 24;
// Requests count from 1 on.
const LOGIN_ID = 0;

/** What came instead of a result. */
export class RPCError extends Error {
  constructor({ code, message, data }) {
    super(message);
    this.name = new.target.name;
    Object.assign(this, { code, data });
  }

  /** The gateway says that upstream got the request, and may have done the work. */
  get mayHaveRun() { return ["cancelSent", "mayHaveCompleted"].includes(this.data?.upstream); }
}

/** A newer request of the same key took its place: nothing to show to anybody. */
export class SupersededError extends RPCError {}

/** Its `timeoutMs` passed. */
export class TimeoutError extends RPCError {}

/** No answer came: the connection was lost, there was none, or the client was closed. */
export class ConnectionLostError extends Error {
  constructor(message, { mayHaveRun, cause }) {
    super(message, { cause });
    this.name = new.target.name;
    /** The request had been sent: upstream may have done the work. */
    this.mayHaveRun = mayHaveRun;
  }
}

function errorOf(error) {
  const { code, data } = error;
  // The second is what a listener with the error profile of language servers says.
  if (code === SUPERSEDED || (code === CONTENT_MODIFIED && data?.supersededBy !== undefined)) {
    return new SupersededError(error);
  }
  return code === DEADLINE_EXCEEDED ? new TimeoutError(error) : new RPCError(error);
}

/** How long to wait before the next attempt: twice as long each time, shortened at random by up to half. */
class BackOff {
  constructor({ firstMs = FIRST_PAUSE_MS, lastMs = LAST_PAUSE_MS } = {}) {
    Object.assign(this, { firstMs, lastMs, nextMs: firstMs });
  }

  take() {
    const pauseMs = this.nextMs * (0.5 + Math.random() / 2);
    this.nextMs = Math.min(2 * this.nextMs, this.lastMs);
    return pauseMs;
  }

  reset() { this.nextMs = this.firstMs; }
}

/** A WebSocket that comes back. */
class SocketLink {
  isReady = false;
  #socket; #timer; #settings; #client;

  constructor(settings, client) {
    this.#settings = settings;
    this.#client = client;
  }

  start() {
    const { url, WebSocket, token } = this.#settings;
    const socket = (this.#socket = new WebSocket(url, [SUBPROTOCOL]));
    this.#timer = setTimeout(() => this.#lose(socket, "no connection came about in time"), CONNECT_MS);
    const on = (name, handle) => socket.addEventListener(name, (event) => {
      if (socket === this.#socket) handle(event);
    });
    on("open", () => {
      if (token === undefined) this.#begin();
      else this.write({ id: LOGIN_ID, method: "lastword.authenticate", params: { token } });
    });
    on("message", ({ data }) => {
      let message;
      try {
        message = JSON.parse(data);
      } catch {
        return this.#lose(socket, "what came is no JSON");
      }
      if (this.isReady) this.#settings.backOff.reset();
      else if (message?.id === LOGIN_ID) return this.#logIn(message);
      this.#client.hear(message);
    });
    on("close", ({ code, reason }) => this.#lose(socket, `it was closed (${code}${reason ? `: ${reason}` : ""})`));
    // What is wrong pages are not told. Not everywhere does "close" follow.
    on("error", () => this.#lose(socket, "it failed"));
  }

  send(entry) { this.write(entry.message); }

  takeBack({ message: { id } }) { this.write({ method: "$/cancelRequest", params: { id } }); }

  write(message) { this.#socket.send(JSON.stringify({ jsonrpc: "2.0", ...message })); }

  stop() {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = undefined;
    this.isReady = false;
    socket?.close();
  }

  #logIn({ error }) {
    if (!error) return this.#begin();
    const failure = errorOf(error);
    // Anything else may be otherwise the next time.
    if (error.code === UNAUTHENTICATED) this.#client.refused(failure);
    else this.#lose(this.#socket, failure);
  }

  #begin() {
    clearTimeout(this.#timer);
    this.isReady = true;
    this.#client.ready();
  }

  #lose(socket, cause) {
    if (socket !== this.#socket) return;
    this.stop();
    this.#timer = setTimeout(() => {
      this.#client.attempting();
      this.start();
    }, this.#settings.backOff.take());
    this.#client.lost(cause);
  }
}

/** A POST for each request, all of one session. */
class PostLink {
  isReady = true;
  #posts = new Map();
  #timer; #settings; #client;
  #session = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(SESSION_BYTES))))
    .replaceAll("+", "-").replaceAll("/", "_");

  constructor(settings, client) {
    this.#settings = settings;
    this.#client = client;
  }

  start() {}

  async send(entry) {
    const abort = new AbortController();
    this.#posts.set(entry, abort);
    try {
      const response = await this.#post(ordered(entry), abort.signal, entry.onPiece !== undefined);
      this.#client.ready();
      if (response.headers.get("Content-Type")?.startsWith("text/event-stream")) {
        for await (const message of events(response.body)) this.#client.hear(message, entry);
      } else {
        this.#client.hear(await messageOf(response), entry);
      }
      // An event stream may end before the answer.
      this.#client.lostOne(entry, "the response has no answer");
    } catch (error) {
      if (!this.#posts.has(entry)) return;
      this.#client.lostOne(entry, error);
      this.#lose();
    } finally {
      this.#posts.delete(entry);
    }
  }

  takeBack(entry) {
    const abort = this.#posts.get(entry);
    this.#posts.delete(entry);
    abort?.abort();
  }

  // Over a POST nobody asks the client anything.
  write() {}

  stop() {
    clearTimeout(this.#timer);
    for (const entry of this.#posts.keys()) this.takeBack(entry);
  }

  #post(message, signal, wantsPieces) {
    const { fetch, url, token } = this.#settings;
    return fetch(url, {
      method: "POST", body: JSON.stringify({ jsonrpc: "2.0", ...message }), signal, redirect: "error",
      cache: "no-store",
      headers: {
        "Content-Type": "application/json", "Lastword-Session": this.#session,
        Accept: wantsPieces ? "text/event-stream, application/json;q=0.5" : "application/json",
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
    });
  }

  /** Without a queue the next request is the next attempt; with one, pings are, until one is answered. */
  #lose() {
    if (!this.#settings.queue) return this.#client.offline();
    if (!this.isReady) return;
    this.isReady = false;
    this.#client.offline();
    this.#pause();
  }

  #pause() {
    this.#timer = setTimeout(() => this.#ping(), this.#settings.backOff.take());
  }

  async #ping() {
    const ping = {};
    const abort = new AbortController();
    this.#posts.set(ping, abort);
    const timer = setTimeout(() => abort.abort(), CONNECT_MS);
    try {
      const response = await this.#post({ id: LOGIN_ID, method: "lastword.ping" }, abort.signal, false);
      await response.arrayBuffer();
      this.#settings.backOff.reset();
      this.isReady = true;
      this.#client.ready();
    } catch {
      if (this.#posts.has(ping)) this.#pause();
    } finally {
      clearTimeout(timer);
      this.#posts.delete(ping);
    }
  }
}

/** POSTs may overtake each other: of a key the gateway takes none behind a newer one. */
function ordered({ number, message }) {
  if (message.task?.key === undefined) return message;
  return { ...message, task: { order: number, ...message.task } };
}

/** What a response to a POST says; of a notification nothing. */
async function messageOf(response) {
  const text = await response.text();
  if (text === "" && response.status === 202) return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new TypeError(`what came is no JSON (HTTP ${response.status})`);
  }
}

/** The messages of an event stream. */
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "", data = [];
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines.map((text) => text.replace(/\r$/, ""))) {
      if (line.startsWith("data:")) data.push(line.slice("data:".length));
      if (line !== "" || data.length === 0) continue;
      yield JSON.parse(data.join("\n"));
      data = [];
    }
  }
}

class Client {
  #open = new Map(); // By number: all that has not been answered, sent or not.
  #pieces = new Map(); // By token: whose progress it is.
  #last = 0;
  #state = "connecting";
  #end; #link; #queue; #room; #onState;

  constructor(url, {
    token, WebSocket = globalThis.WebSocket, fetch = globalThis.fetch?.bind(globalThis), backOff, queue, onState,
  } = {}) {
    const { protocol } = new URL(url);
    if (!/^(ws|http)s?:$/.test(protocol)) throw new TypeError(`${protocol} is none of ws:, wss:, http: and https:`);
    const isSocket = protocol.startsWith("ws") && WebSocket !== undefined;
    this.#queue = Boolean(queue);
    this.#room = typeof queue === "number" ? queue : WAITING;
    this.#onState = onState;
    const settings = {
      url: isSocket ? url : String(url).replace(/^ws/, "http"), token, WebSocket, fetch, queue: this.#queue,
      backOff: new BackOff(backOff),
    };
    this.#link = new (isSocket ? SocketLink : PostLink)(settings, {
      attempting: () => this.#become("connecting"),
      ready: () => this.#ready(),
      offline: () => this.#become("offline"),
      lost: (cause) => this.#lost(cause),
      lostOne: (entry, cause) => this.#fail(entry, lost(cause)),
      refused: (error) => this.#finish("refused", error, () => error),
      hear: (message, entry) => this.#hear(message, entry),
    });
    this.#link.start();
  }

  get state() { return this.#state; }

  request(method, params, { signal, onPiece, ...task } = {}) {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const entry = { number: ++this.#last, resolve, reject, onPiece, tokens: [] };
      if (onPiece) [params, entry.tokens] = withToken(params, entry.number);
      entry.message = { id: entry.number, method, params, task: some(task) };
      const abort = () => {
        if (entry.isSent) this.#link.takeBack(entry);
        this.#fail(entry, signal.reason);
      };
      signal?.addEventListener("abort", abort);
      entry.forget = () => signal?.removeEventListener("abort", abort);
      this.#add(entry);
    });
  }

  notify(method, params, task = {}) {
    return new Promise((resolve, reject) => {
      const message = { method, params, task: some({ ...task }) };
      this.#add({ number: ++this.#last, resolve, reject, message, tokens: [] });
    });
  }

  latest(key, ask) {
    let newest;
    const call = (...words) => {
      const older = newest;
      const mine = (newest = new AbortController());
      let hasAsked = false;
      const request = (method, params, options = {}) => {
        hasAsked = true;
        const signal = options.signal ? AbortSignal.any([mine.signal, options.signal]) : mine.signal;
        return this.request(method, params, { key, scope: "connection", ...options, signal });
      };
      const answer = (async () => ask(request, ...words))();
      // Nothing supersedes the older request then.
      if (!hasAsked) older?.abort();
      return new Promise((resolve, reject) => answer.then(
        (result) => { if (newest === mine) resolve(result); },
        (error) => {
          if (newest !== mine) return;
          if (error instanceof SupersededError) resolve(undefined);
          else reject(error);
        }));
    };
    call.cancel = () => {
      const older = newest;
      newest = undefined;
      older?.abort();
    };
    return call;
  }

  close() {
    this.#finish("closed", new ConnectionLostError("the client is closed", { mayHaveRun: false }),
      (entry) => new ConnectionLostError("the client was closed", { mayHaveRun: Boolean(entry.isSent) }));
  }

  #add(entry) {
    if (this.#end) throw this.#end;
    if (this.#link.isReady) {
      this.#keep(entry);
      return this.#send(entry);
    }
    const mayWait = this.#queue || this.#state === "connecting";
    const waiting = [...this.#open.values()].filter(({ isSent }) => !isSent).length;
    if (!mayWait || waiting >= this.#room) {
      entry.forget?.();
      const why = mayWait ? "too many requests wait for a connection" : "there is no connection";
      throw new ConnectionLostError(why, { mayHaveRun: false });
    }
    this.#keep(entry);
    const { task } = entry.message;
    if (task?.timeoutMs === undefined) return;
    entry.deadline = performance.now() + task.timeoutMs;
    const message = "its time passed without a connection";
    const error = { code: DEADLINE_EXCEEDED, message, data: { upstream: "notSent" } };
    entry.timer = setTimeout(() => this.#fail(entry, errorOf(error)), task.timeoutMs);
  }

  #keep(entry) {
    this.#open.set(entry.number, entry);
    for (const token of entry.tokens) this.#pieces.set(token, entry);
  }

  #send(entry) {
    clearTimeout(entry.timer);
    if (entry.deadline !== undefined) {
      entry.message.task.timeoutMs = Math.max(0, Math.round(entry.deadline - performance.now()));
    }
    try {
      entry.isSent = true;
      this.#link.send(entry);
    } catch (error) {
      return this.#fail(entry, error);
    }
    // Over a WebSocket nobody says more of a notification.
    if (entry.message.id === undefined && this.#link instanceof SocketLink) this.#settle(entry)?.resolve();
  }

  #ready() {
    this.#become("online");
    for (const entry of [...this.#open.values()]) if (!entry.isSent && this.#link.isReady) this.#send(entry);
  }

  #lost(cause) {
    for (const entry of [...this.#open.values()]) {
      if (entry.isSent) this.#fail(entry, lost(cause));
      else if (!this.#queue) {
        this.#fail(entry, new ConnectionLostError("no connection came about", { mayHaveRun: false, cause }));
      }
    }
    this.#become("offline");
  }

  #finish(state, end, errorFor) {
    if (this.#end) return;
    this.#end = end;
    this.#link.stop();
    for (const entry of [...this.#open.values()]) this.#fail(entry, errorFor(entry));
    this.#become(state, state === "refused" ? end : undefined);
  }

  #become(state, error) {
    if (state === this.#state) return;
    this.#state = state;
    tell(this.#onState, state, error);
  }

  /** A response to a POST answers what was sent with it, whatever its id. */
  #hear(message, entry) {
    if (typeof message !== "object" || message === null) return;
    const { id, method, params, result, error } = message;
    if (method === undefined) {
      const answered = this.#settle(entry ?? this.#open.get(id));
      if (error) answered?.reject(errorOf(error));
      else answered?.resolve(result);
    } else if (id !== undefined) {
      const unknown = { code: METHOD_NOT_FOUND, message: "this client answers no questions" };
      this.#link.write({ id, error: unknown });
    } else if (method === "$/progress") tell(this.#pieces.get(params?.token)?.onPiece, params?.value, params?.token);
    else if (method === "notifications/progress") {
      tell(this.#pieces.get(params?.progressToken)?.onPiece, params, params?.progressToken);
    }
  }

  #fail(entry, error) { this.#settle(entry)?.reject(error); }

  /** Forgets what is answered; gives nothing if it was before. */
  #settle(entry) {
    if (!entry || !this.#open.delete(entry.number)) return;
    for (const token of entry.tokens) this.#pieces.delete(token);
    clearTimeout(entry.timer);
    entry.forget?.();
    return entry;
  }
}

function lost(cause) {
  return new ConnectionLostError("the connection was lost before the answer", { mayHaveRun: true, cause });
}

/** What a listener throws is its own. */
function tell(listener, ...words) {
  if (listener) queueMicrotask(() => listener(...words));
}

/** A task without members is none. */
function some(task) {
  return Object.values(task).some((value) => value !== undefined) ? task : undefined;
}

/** Params with a token for progress, their own if they have any, and these tokens. */
function withToken(params, number) {
  const own = [params?.partialResultToken, params?.workDoneToken, params?._meta?.progressToken];
  const tokens = own.filter((token) => token !== undefined);
  if (tokens.length > 0) return [params, tokens];
  if (Array.isArray(params)) throw new TypeError("onPiece goes with params that are an object");
  const token = `piece-${number}`;
  return [{ ...params, _meta: { ...params?._meta, progressToken: token } }, [token]];
}

/** A client of the gateway at `url`: over a WebSocket (ws:, wss:) or by POST (http:, https:). */
export function connect(url, options) { return new Client(url, options); }
