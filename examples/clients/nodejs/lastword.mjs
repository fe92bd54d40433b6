// A minimal client of lastword, to be imported. Node.js 18 and newer alone; its types are in lastword.d.mts.
//
//     const gateway = connect({ port: 5278 });
//     await gateway.call("search", { q: "swift" }, { task: { key: "search:tab-1", policy: "cancel" } });
//
// Under TLS, and to a gateway that asks who comes:
//
//     const gateway = connect({ host: "gateway.example", port: 5280, tls: true, ca: readFileSync("ca.pem") });
//     await gateway.authenticate(process.env.LASTWORD_TOKEN);
import net from "node:net";
import tls from "node:tls";

/** What came instead of a result. */
export class RPCError extends Error {
  constructor({ code, message, data }) {
    super(message);
    Object.assign(this, { code, data });
  }
  /** Superseded or cancelled: nothing to show to anybody. */
  get isUnwanted() { return this.code === -32080 || this.code === -32800; }
  /** The gateway says that upstream got the request, and may have done the work. */
  get mayHaveRun() { return ["cancelSent", "mayHaveCompleted"].includes(this.data?.upstream); }
}

export function connect({ tls: isSecure = false, ca, ...target } = { host: "127.0.0.1", port: 5278 }) {
  const options = { noDelay: true, ...target };
  // The certificate has to be for that host, and from an authority in `ca`, or else one that Node.js trusts.
  const socket = isSecure ? tls.connect({ ...options, ca, rejectUnauthorized: true }) : net.connect(options);
  socket.setEncoding("utf8");
  const open = new Map();
  let lastID = 0, rest = "", isClosed = false, isClosing = false, cause;
  const ended = () => new Error("the connection to lastword has ended", { cause });
  const send = (message) => socket.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const hear = (line) => {
    const message = JSON.parse(line);
    if (message?.jsonrpc !== "2.0") throw new Error("what came is no message of JSON-RPC 2.0");
    const { id, result, error } = message;
    if (error) open.get(id)?.reject(new RPCError(error)); else open.get(id)?.resolve(result);
    open.delete(id);
  };
  socket.on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    try { lines.forEach(hear); } catch (error) { socket.destroy(error); }
    if (isClosing && open.size === 0) socket.destroySoon();
  });
  socket.on("error", (error) => { cause = error; }).on("close", () => {
    isClosed = true;
    for (const { reject } of open.values()) reject(ended());
  });
  return {
    async authenticate(token) { await this.call("lastword.authenticate", { token }); },
    get isClosed() { return isClosed; },
    close: () => {
      isClosing = true;
      if (open.size === 0) socket.destroySoon();
    },
    notify: (method, params, { task } = {}) => { send({ method, params, task }); },
    call: (method, params, { task, signal } = {}) => new Promise((resolve, reject) => {
      if (isClosed) throw ended();
      signal?.throwIfAborted();
      const id = ++lastID;
      open.set(id, { resolve, reject });
      send({ id, method, params, task });
      signal?.addEventListener("abort", () => {
        if (open.has(id)) send({ method: "$/cancelRequest", params: { id } });
      }, { once: true });
    }),
  };
}
