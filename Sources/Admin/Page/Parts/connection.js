// The gateway's stream of events, and what the page says of it.

/** The stream of events; opened again, with growing pauses, whenever it breaks off. */
class Connection {
  constructor() {
    this.pause = 250; this.hasBeenUp = false; this.begun = 0;
    this.takers = {
      hello: data => this.greet(data),
      frame: data => { if (this.held) this.held.push(data); else takeIn(live, data); },
      play: data => takeIn(play, data),
      stats: data => { clock.observe(data.t); live.gauges = data.gauges; numbers.take(data); },
      fleet: data => fleet.show(data),
    };
  }

  async open() {
    try {
      const answer = await ask("events");
      if (answer.status === 401) {
        this.show("", "the gateway wants a token");
        access.want(() => this.open());
        return;
      }
      if (answer.ok) await this.read(answer.body.getReader());
    } catch { /* it is opened again */ }
    this.lose();
  }

  async read(body) {
    const events = new EventReader((type, data) => this.receive(type, data)), decoder = new TextDecoder();
    for (let piece = await body.read(); !piece.done; piece = await body.read()) {
      events.take(decoder.decode(piece.value, { stream: true }));
    }
  }

  receive(type, data) {
    try { this.takers[type]?.(JSON.parse(data)); } catch (error) { noteError(`${type}: ${error}`); }
  }

  greet(hello) {
    if (this.hasBeenUp) for (const history of [live, play]) history.breakOff(clock.now);
    clock.offset = never;
    clock.observe(hello.now);
    numbers.restart();
    this.hasBeenUp = true; this.pause = 250; this.begun = performance.now();
    say(element("version"), hello.version);
    this.show("up", "connected");
    this.listen(hello.listen);
    this.takeOver();
  }

  // What the empty page tells to type; the gateway may say where it listens.
  listen(addresses) {
    const address = [addresses ?? []].flat().find(text => /^(tcp:)?[^/]+:\d+$/.test(text)) ?? "127.0.0.1:5278";
    const [, host, port] = /^(?:tcp:)?\[?([^\]]+)\]?:(\d+)$/.exec(address) ?? [null, "127.0.0.1", "5278"];
    const request = (id, ms) => `'{"jsonrpc":"2.0","id":${id},"method":"sleep","params":{"ms":${ms}},"task":{"key":"demo","policy":"cancel"}}'`;
    say(element("example"), `printf '%s\\n' ${request(1, 3000)} \\\n  ${request(2, 2000)} | nc -N ${host} ${port}`);
  }

  // Frames wait for it, or the end of a task might come before the page knows of the task.
  async takeOver() {
    const held = this.held = [];
    try {
      const answer = await ask("keys", { signal: AbortSignal.timeout(limits.takeOverMilliseconds) });
      if (answer.ok) live.takeOver((await answer.json()).lanes ?? [], clock.now);
    } catch { /* the stream says when the gateway has gone */ }
    if (this.held !== held) return;
    this.held = null;
    for (const frame of held) takeIn(live, frame);
  }

  lose() {
    const pause = this.pause;
    this.pause = Math.min(pause * 2, 5_000);
    this.show("", `${this.hasBeenUp ? "the gateway has gone" : "no gateway"}; trying again${pause >= 1_000 ? ` in ${pause / 1000} s` : ""}…`);
    setTimeout(() => this.open(), pause);
  }

  show(state, text) {
    element("state").className = `state ${state}`;
    say(element("statetext"), text);
  }
}
