// Uses of examples/clients/nodejs/lastword.d.mts: right ones, and wrong ones that have to be told of.
import { connect, ErrorData, Gateway, Params, RPCError, Task } from "./lastword.mjs";

interface Found { paths: string[] }

const gateway: Gateway = connect({ port: 5278 });
connect();
connect({ host: "localhost", port: 5278 });
connect({ path: "/run/lastword.sock" });
connect({ host: "localhost", port: 5280, tls: true });
connect({ host: "localhost", port: 5280, tls: true, ca: new Uint8Array() });
// @ts-expect-error A certificate is for a host that is said.
connect({ port: 5280, tls: true });
// @ts-expect-error Without TLS nobody is vouched for.
connect({ host: "localhost", port: 5280, ca: "" });
// @ts-expect-error It is always verified.
connect({ host: "localhost", port: 5280, tls: true, rejectUnauthorized: false });
// @ts-expect-error A host alone is no address.
connect({ host: "localhost" });
// @ts-expect-error A port is a number.
connect({ port: "5278" });

export async function search(q: string, signal: AbortSignal): Promise<string[] | undefined> {
  const task: Task = { key: "search:tab-1", policy: "cancel", join: "identical", scope: "shared", timeoutMs: 100 };
  try {
    const found = await gateway.call<Found>("search", { q }, { task, signal });
    // @ts-expect-error What is found has no such member.
    console.log(found.path);
    return found.paths;
  } catch (error) {
    if (!(error instanceof RPCError)) throw error;
    const data = error.data as ErrorData;
    // @ts-expect-error There is no such phase.
    if (data.phase === "sleeping") return;
    // @ts-expect-error An error stays as it came.
    error.code = 0;
    if (error.isUnwanted && !error.mayHaveRun && data.upstream === "notSent") return [];
    return [error.message, error.code.toFixed()];
  }
}

await gateway.authenticate("lw_");
// @ts-expect-error A token is text.
gateway.authenticate(undefined);
gateway.notify("note", [1, "two", { three: null }], { task: { group: "tab-1" } });
const result = await gateway.call("echo");
// @ts-expect-error Who does not say what comes has to look at it.
result.length;
// @ts-expect-error Params are an array or an object.
const params: Params = "swift";
// @ts-expect-error There is no such policy.
gateway.call("search", params, { task: { policy: "newest" } });
// @ts-expect-error Times are milliseconds.
gateway.call("search", [], { task: { debounceMs: "100ms" } });
// @ts-expect-error There is no such member.
gateway.call("search", [], { task: { keys: "search" } });
// @ts-expect-error A notification cannot be taken back.
gateway.notify("note", [], { signal: new AbortController().signal });
// @ts-expect-error It closes by itself.
gateway.isClosed = true;
gateway.close();
