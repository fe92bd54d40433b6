// A minimal client of lastword, to be imported. Node.js 18 and newer alone; its types are in lastword.d.mts.
//
//     const gateway = connect({ port: 5278 });
//     await gateway.call("search", { q: "swift" }, { task: { key: "search:tab-1", policy: "cancel" } });
import net from "node:net";

/** What came instead of a result. */
export class RPCError extends Error {
  constructor({ code, message, data }) {
    super(message);
    Object.assign(this, { code, data });
  }
  /** Superseded or cancelled: nothing to show to anybody. */
  get isUnwanted() { return this.code === -32080 || this.code === -32800; }
}

export function connect(target = { host: "127.0.0.1", port: 5278 }) {
  const socket = net.connect({ noDelay: true, ...target }).setEncoding("utf8");
  const open = new Map();
  let lastID = 0, rest = "", isClosed = false;
  const send = (message) => socket.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const hear = (line) => {
    const { id, result, error } = JSON.parse(line);
    if (error) open.get(id)?.reject(new RPCError(error)); else open.get(id)?.resolve(result);
    open.delete(id);
  };
  socket.on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    try { lines.forEach(hear); } catch (error) { socket.destroy(error); }
  });
  socket.on("error", () => {}).on("close", () => {
    isClosed = true;
    for (const { reject } of open.values()) reject(new Error("the connection to lastword has ended"));
  });
  return {
    get isClosed() { return isClosed; },
    close: () => socket.end(),
    notify: (method, params, { task } = {}) => { send({ method, params, task }); },
    call: (method, params, { task, signal } = {}) => new Promise((resolve, reject) => {
      if (isClosed) throw new Error("the connection to lastword has ended");
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
