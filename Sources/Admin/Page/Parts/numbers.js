// The numbers above the lanes: rates, latencies and totals.

const cards = [
  { id: "requests", title: "requests / s", rate: "admitted", colour: "--text" },
  { id: "delivered", title: "delivered / s", rate: "delivered", colour: "--delivered" },
  { id: "superseded", title: "superseded / s", rate: "superseded", colour: "--superseded" },
  { id: "total", title: "total, p50", latency: "totalMs" },
  { id: "upstream", title: "upstream, p50", latency: "upstreamMs" },
  { id: "running", title: "running", text: s => [count(s.gauges.running), `${count(s.gauges.queued)} queued`] },
  { id: "draining", title: "draining", text: s => [count(s.gauges.draining), `${count(s.gauges.orphaned)} orphaned`] },
  { id: "connections", title: "connections", text: s => [count(s.gauges.connections), `${count(s.gauges.lanes)} lanes`] },
  { id: "saved", title: "upstream saved", text: s => [duration(s.counters.upstreamSavedMs ?? 0), `${count(s.counters.cancelsSent ?? 0)} cancels`] },
  { id: "lag", title: "loop lag, p50", latency: "loopLagMs" },
];
const outcomes = ["delivered", "failed", "superseded", "cancelled", "expired", "rejected", "abandoned", "live"];

/** The latest statistics, and those of the last minute to take rates and latencies from. */
class Numbers {
  constructor() { this.samples = []; this.nodes = {}; this.makeCards(); this.makeSum(); }

  makeCards() {
    for (const { id, title, colour } of cards) {
      const value = make("span", {}, "–"), small = make("small", {}, "\u00a0"), dd = make("dd", {}, value, small);
      const box = make("div", { class: "card" }, make("dt", {}, title), dd);
      const node = { value, small };
      if (colour) {
        const graph = document.createElementNS("http://www.w3.org/2000/svg", "svg");
        node.line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
        graph.setAttribute("viewBox", "0 0 100 30"); graph.setAttribute("preserveAspectRatio", "none"); graph.setAttribute("aria-hidden", "true");
        node.line.setAttribute("style", `stroke: var(${colour})`);
        graph.append(node.line);
        box.append(graph);
      }
      this.nodes[id] = node;
      element("cards").append(box);
    }
  }

  makeSum() {
    const sum = element("sum");
    this.terms = {};
    for (const name of ["admitted", ...outcomes]) {
      this.terms[name] = make("b", {}, "0");
      sum.append(make("span", {}, this.terms[name], ` ${name}`), make("span", {}, name === "admitted" ? "=" : name === "live" ? "" : "+"));
    }
    this.verdict = make("span", { class: "verdict" });
    sum.append(this.verdict);
  }

  restart() { this.samples = []; }

  take(stats) {
    this.samples.push(stats);
    if (this.samples.length > 130) this.samples.shift();
    this.latest = stats;
    this.show();
  }

  rateAt(index, name, back = 4) {
    const newer = this.samples[index], older = this.samples[Math.max(0, index - back)];
    const seconds = (newer.t - older.t) / 1000;
    return seconds > 0 ? (newer.counters[name] - older.counters[name]) / seconds : 0;
  }

  show() {
    const last = this.samples.length - 1, older = this.samples[Math.max(0, last - 10)];
    for (const { id, rate, latency, text } of cards) {
      const node = this.nodes[id];
      if (rate) this.showRate(node, rate, last);
      else if (latency) this.showLatency(node, older[latency], this.latest[latency]);
      else this.showText(node, text(this.latest));
    }
    this.showSum();
    showUnreached(this.latest.unreached ?? []);
    talkers.show(this.samples);
  }

  showRate(node, name, last) {
    say(node.value, count(this.rateAt(last, name)));
    say(node.small, `${count(this.latest.counters[name])} in all`);
    const rates = this.samples.map((_, index) => this.rateAt(index, name));
    const most = Math.max(1, ...rates), from = 131 - rates.length;
    node.line.setAttribute("points", rates.map((rate, index) => `${((from + index) / 130 * 100).toFixed(1)},${(29 - rate / most * 26).toFixed(1)}`).join(" "));
  }

  showLatency(node, older, newer) {
    const middle = quantile(older, newer, 0.5), high = quantile(older, newer, 0.99);
    say(node.value, middle ?? "–");
    say(node.small, `p99 ${high ?? "–"}`);
  }

  showText(node, [value, small]) { say(node.value, value); say(node.small, small); }

  showSum() {
    const counters = this.latest.counters;
    for (const [name, node] of Object.entries(this.terms)) say(node, count(counters[name] ?? 0));
    const sum = outcomes.reduce((total, name) => total + (counters[name] ?? 0), 0), holds = sum === counters.admitted;
    say(this.verdict, holds ? "✓" : "✗");
    this.verdict.className = `verdict ${holds ? "holds" : "broken"}`;
    setAttribute(this.verdict, "aria-label", holds ? "adds up" : `does not add up: ${sum}`);
    setAttribute(this.verdict, "title", holds ? "Every request that was admitted has ended once, or is live." : `The right side is ${sum}.`);
    say(element("events"), `events: ${count(tally.shown)} shown, ${count(mergedInAll())} merged`);
  }
}

/** Upstreams to which no request can be sent. */
function showUnreached(names) {
  element("alarm").hidden = !names.length;
  const [plural, verb] = names.length > 1 ? ["s", "are"] : ["", "is"];
  say(element("alarm"), names.length
    ? `Upstream${plural} ${names.map(name => legible(name)).join(", ")} ${verb} out of reach: requests wait for a connection, and fail if none comes.` : "");
}

const mergedInAll = () => tally.merged + tally.leftOutByGateway;

/** From what was added to the buckets between two samples; within a bucket, evenly spread. */
function quantile(older, newer, share) {
  if (!newer) return null;
  const counts = newer.n.map((value, index) => value - (older && older !== newer ? older.n[index] : 0));
  const total = counts.reduce((a, b) => a + b, 0);
  if (total <= 0) return null;
  let rank = share * total;
  for (let index = 0; index < counts.length; index += 1) {
    if (rank > counts[index]) { rank -= counts[index]; continue; }
    const lower = index ? newer.le[index - 1] : 0;
    if (index >= newer.le.length) return `> ${duration(lower)}`;
    return duration(lower + (newer.le[index] - lower) * rank / counts[index]);
  }
  return null;
}

const numbers = new Numbers();
