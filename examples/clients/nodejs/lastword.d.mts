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
  /** Larger for what was sent later: what comes behind a newer request of its key is superseded. */
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
}

/** What came instead of a result. */
export class RPCError extends Error {
  readonly code: number;
  /** `ErrorData` where the gateway answered, else whatever upstream said. */
  readonly data?: unknown;
  /** Superseded or cancelled: nothing to show to anybody. */
  readonly isUnwanted: boolean;
  /** The gateway says that upstream got the request, and may have done the work. */
  readonly mayHaveRun: boolean;
}

export interface Gateway {
  readonly isClosed: boolean;
  /** Says who this is, before anything else; rejects with an RPCError if the gateway does not know the token. */
  authenticate(token: string): Promise<void>;
  /** Ends the connection once what was asked is answered. */
  close(): void;
  notify(method: string, params?: Params, options?: { task?: Task }): void;
  /** Rejects with an RPCError, or with another one when the connection ends; an abort cancels upstream's work. */
  call<Result = unknown>(
    method: string, params?: Params, options?: { task?: Task; signal?: AbortSignal },
  ): Promise<Result>;
}

/** What fails when a connection ends, or never comes about, says why in its `cause`, where that is known. */
export function connect(target?: { host?: string; port: number; tls?: false } | { path: string }): Gateway;
/** The certificate has to be for that host, and from an authority in `ca` (PEM), or else one that Node.js trusts. */
export function connect(target: { host: string; port: number; tls: true; ca?: string | Uint8Array }): Gateway;
