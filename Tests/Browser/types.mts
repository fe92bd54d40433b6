// Uses of examples/clients/browser/lastword.d.ts: right ones, and wrong ones that have to be told of.
import {
  Client, connect, ConnectionLostError, ErrorData, RequestOptions, RPCError, State, SupersededError, TimeoutError,
} from "./lastword.js";

interface Found { paths: string[] }

const states: State[] = [];
const client: Client = connect("ws://127.0.0.1:5278", { onState: (state) => states.push(state) });
connect(new URL("https://gateway.example/"), { token: "lw_", fetch, WebSocket, backOff: { firstMs: 50 }, queue: 20 });
connect("ws://127.0.0.1:5278", { queue: true });
// @ts-expect-error There is no such option.
connect("ws://127.0.0.1:5278", { retries: 3 });
// @ts-expect-error An address is needed.
connect();

export async function search(q: string, signal: AbortSignal): Promise<string[] | undefined> {
  try {
    const options: RequestOptions = { key: "box", policy: "cancel", timeoutMs: 100, signal };
    const found = await client.request<Found>("search", { q }, options);
    // @ts-expect-error What is found has no such member.
    console.log(found.path);
    return found.paths;
  } catch (error) {
    if (error instanceof SupersededError || error instanceof TimeoutError) return [error.code.toFixed()];
    if (error instanceof ConnectionLostError) return error.mayHaveRun ? undefined : [];
    if (!(error instanceof RPCError)) throw error;
    const data = error.data as ErrorData;
    // @ts-expect-error There is no such phase.
    if (data.phase === "sleeping") return;
    // @ts-expect-error An error stays as it came.
    error.code = 0;
  }
}

const box = client.latest("box", (request, q: string) => request<Found>("search", { q }, { onPiece: console.log }));
const found: Found | undefined = await box("swift");
// @ts-expect-error It may have been superseded elsewhere.
found.paths;
// @ts-expect-error It takes what its function takes.
box(7);
box.cancel();
await client.notify("note", [1, "two", { three: null }], { group: "tab-1" });
// @ts-expect-error A notification cannot be taken back.
client.notify("note", [], { signal: new AbortController().signal });
// @ts-expect-error Params are an array or an object.
client.request("search", "swift");
// @ts-expect-error There is no such policy.
client.request("search", [], { policy: "newest" });
// @ts-expect-error There is no such member.
client.request("search", [], { keys: "box" });
// @ts-expect-error It changes by itself.
client.state = "closed";
client.close();
