// A bridge for web pages, which cannot speak to lastword: it takes JSON-RPC requests by POST and asks the gateway. A fetch
// that is aborted cancels its request. Node.js 18 and newer alone; nodejs/lastword.mjs beside it.
//
//     node bridge.mjs [PORT [GATEWAY [ORIGIN]]]      8080, 127.0.0.1:5278, and only pages from http://127.0.0.1:PORT
import http from "node:http";
import { connect, RPCError } from "./nodejs/lastword.mjs";

const [port = "8080", address = "127.0.0.1:5278", origin] = process.argv.slice(2);
const [, host, gatewayPort] = /^(.*):(\d+)$/.exec(address);
const limitBytes = 1 << 20;
let gateway = connect({ host, port: Number(gatewayPort) });

async function body(request) {
  const parts = [];
  let length = 0;
  for await (const part of request) {
    if ((length += part.length) > limitBytes) throw new RPCError({ code: -32086, message: "message too large" });
    parts.push(part);
  }
  try { return JSON.parse(Buffer.concat(parts)); } catch { throw new RPCError({ code: -32700, message: "parse error" }); }
}

async function answer(request, response) {
  let id = null;
  try {
    const message = await body(request);
    if (typeof message?.method !== "string") throw new RPCError({ code: -32600, message: "method is missing" });
    id = message.id ?? null;
    if (gateway.isClosed) gateway = connect({ host, port: Number(gatewayPort) });
    const leaving = new AbortController();
    response.once("close", () => leaving.abort());
    const result = await gateway.call(message.method, message.params, { task: message.task, signal: leaving.signal });
    return { jsonrpc: "2.0", id, result };
  } catch (error) {
    const { code = -32084, message, data } = error;
    return { jsonrpc: "2.0", id, error: { code: Number.isInteger(code) ? code : -32084, message, data } };
  }
}

const server = http.createServer(async (request, response) => {
  // Of pages, only those that are known: any page can reach this machine.
  const known = [origin, `http://127.0.0.1:${server.address().port}`, `http://localhost:${server.address().port}`];
  const { origin: from } = request.headers;
  if (from !== undefined && !known.includes(from)) return response.writeHead(403).end();
  const headers = { "Content-Type": "application/json", "Access-Control-Allow-Origin": from ?? "null",
    "Access-Control-Allow-Headers": "Content-Type", Vary: "Origin" };
  if (request.method === "OPTIONS") return response.writeHead(204, headers).end();
  if (request.method !== "POST") return response.writeHead(405, { Allow: "POST, OPTIONS" }).end();
  if (!request.headers["content-type"]?.startsWith("application/json")) return response.writeHead(415).end();
  const text = JSON.stringify(await answer(request, response));
  response.writeHead(200, headers).end(text);
});
server.listen(Number(port), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
