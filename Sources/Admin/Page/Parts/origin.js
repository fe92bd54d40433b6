// From where requests come: who sent one, how, and over which connection.

const transports = {
  lines: "lines", "content-length": "Content-Length", websocket: "WebSocket", http: "POST", sse: "POST with events", stdio: "standard input",
};
// The gateway lists so many connections at most.
const listedConnections = 1_000;

/** One that a frame tells of. Its requests refer to it: it is forgotten with the last of them. */
class Origin {
  /** From the connection's number, how it came and whose it is; the last two as far as they are known. */
  constructor([connection, transport, principal], marks = new Map()) {
    this.connection = connection; this.transport = transport ?? ""; this.principal = principal ?? null;
    this.mark = marks.get(principal) ?? ""; this.shown = null;
  }

  get how() {
    const [name, secure] = String(this.transport).split("+");
    return name && (transports[name] ?? legible(name, 24)) + (secure ? " over TLS" : "");
  }

  /** Its principal, short enough for a bar: asked for with each of its bars that is drawn. */
  get label() { return (this.shown ??= this.principal === null ? "" : legible(this.principal, 24)); }

  /** As "ann · WebSocket over TLS". */
  get short() { return [this.label, this.how || `connection ${this.connection}`].filter(part => part).join(" · "); }

  get whole() {
    const { how } = this, who = this.principal === null ? "" : legible(this.principal, 400);
    const connection = `connection ${this.connection}${how ? "" : ", gone before it was asked how it came"}`;
    return [who, how, connection].filter(part => part).join(" · ");
  }

  get node() { return make("bdi", {}, this.whole); }
}

function readOrigins(list, marks) { return (list ?? []).map(parts => new Origin(parts, marks)); }

/** Adds to a story's facts from where its callers came. */
function addOrigins(task, history, facts) {
  const add = (name, node) => facts.append(make("dt", {}, name), make("dd", {}, node)), { owner } = task.lane;
  const connection = task.from?.connection ?? (owner.connection || null);
  if (task.from) add("from", task.from.node);
  else add("from", connection === null ? "not known: events were left out, or it was there before the page" : `connection ${connection}`);
  for (const other of (task.joiners ?? []).slice(0, 20)) if (other) add("joined by", other.node);
  if (connection !== null && history !== play) addAddress(connection, task.from, add).catch(() => {});
}

/** Events do not say it, and it may be gone by now. */
async function addAddress(number, from, add) {
  const response = await ask("connections").catch(() => null);
  if (!response?.ok) return;
  const { connections } = await response.json(), found = connections.find(({ connection }) => connection === number);
  if (found && !from) add("which is", new Origin([number, found.transport, found.principal]).node);
  if (found?.address) add("address", make("bdi", { class: "mono" }, legible(found.address, 300)));
  if (!found && connections.length < listedConnections) add("address", "not connected any more");
}
