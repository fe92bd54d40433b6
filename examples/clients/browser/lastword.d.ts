/** What a request competes for, and how: see proto/spec.md. */
export interface Task {
  key?: string;
  policy?: "cancel" | "cancelAndWait" | "wait" | "concurrent" | "preferPrevious" | "keepLatest" | "onAnswer";
  join?: "identical" | "always" | "never";
  scope?: "shared" | "connection";
  group?: string;
  /** Milliseconds, as all that end so. */
  timeoutMs?: number;
  debounceMs?: number;
  maxWaitMs?: number;
  maxStaleMs?: number;
  drainMs?: number;
  traceparent?: string;
  /** Larger for what was sent later; by POST a request with a key has one by itself. */
  order?: number;
  /** What comes of it when it is superseded: -32080, or the newer answer. */
  superseded?: "error" | "follow";
}

export type Params = readonly unknown[] | { readonly [name: string]: unknown };

/** What the gateway says of a request that it answers itself. */
export interface ErrorData {
  key?: string;
  generation?: number;
  supersededBy?: number;
  phase?: "queued" | "running";
  upstream?: "notSent" | "cancelSent" | "mayHaveCompleted";
  retryAfterMs?: number;
}

/** What came instead of a result. */
export class RPCError extends Error {
  readonly code: number;
  /** `ErrorData` where the gateway answered, else whatever upstream said. */
  readonly data?: unknown;
  /** The gateway says that upstream got the request, and may have done the work. */
  readonly mayHaveRun: boolean;
}

/** A newer request of the same key took its place (-32080): nothing to show to anybody. */
export class SupersededError extends RPCError {}

/** Its `timeoutMs` passed (-32083), with or without a connection. */
export class TimeoutError extends RPCError {}

/** No answer came: the connection was lost, there was none, or the client was closed. */
export class ConnectionLostError extends Error {
  /** The request had been sent: upstream may have done the work. */
  readonly mayHaveRun: boolean;
}

/**
 * `connecting`: an attempt is under way, and requests wait for it. `offline`: none is, until the next. `refused`: the
 * gateway does not know the token; `closed`: by `close()`; after these two nothing is asked any more.
 */
export type State = "connecting" | "online" | "offline" | "refused" | "closed";

/** As browsers have it, as far as it is used; packages for Node.js have it, too. */
export interface SocketLike {
  send(text: string): void;
  close(): void;
  addEventListener(name: string, handle: (event: any) => void): void;
}

export interface Options {
  /** Who this is: a token that the gateway knows. */
  token?: string;
  /** The global one if it is not given; without either ws: is spoken by POST. */
  WebSocket?: new (url: any, protocols?: string[]) => SocketLike;
  fetch?: typeof fetch;
  /** Pauses between attempts to connect, in milliseconds: 100, twice as long each time, up to 10 000. */
  backOff?: { firstMs?: number; lastMs?: number };
  /** Keeps what is asked without a connection, and sends it when there is one: 100 requests at most, or so many. */
  queue?: boolean | number;
  onState?: (state: State, error?: Error) => void;
}

export interface RequestOptions extends Task {
  /** Takes the request back, and rejects with its reason. */
  signal?: AbortSignal;
  /** Hears of progress on it: the `value` of `$/progress`, or the params of `notifications/progress`. */
  onPiece?: (piece: any, token: string | number) => void;
}

export type Request = <Result = unknown>(method: string, params?: Params, options?: RequestOptions) => Promise<Result>;

export interface Latest<Words extends unknown[], Result> {
  /**
   * Settles only while no newer call has been made: with its result, its error, or `undefined` where somebody else's
   * request of the same key took its place.
   */
  (...words: Words): Promise<Result | undefined>;
  /** Takes back the newest call, which then never settles. */
  cancel(): void;
}

export interface Client {
  readonly state: State;
  /** Rejects with an RPCError, a ConnectionLostError, or the reason of the signal. */
  request: Request;
  /** Is fulfilled when it is sent, or, by POST, when upstream has got it. */
  notify(method: string, params?: Params, task?: Task): Promise<void>;
  /** Only the newest call has an answer. `ask` makes its requests by what it is given first, with the key in a scope. */
  latest<Words extends unknown[], Result>(
    key: string, ask: (request: Request, ...words: Words) => Promise<Result> | Result,
  ): Latest<Words, Result>;
  /** Ends the connection; what is open is rejected and taken back. */
  close(): void;
}

/** A client of the gateway at `url`: over a WebSocket (ws:, wss:) or by POST (http:, https:). */
export function connect(url: string | URL, options?: Options): Client;
