// The demo's page: what is typed is asked twice, and each side shows what it gets, as simple search boxes do.
import { connect, SupersededError } from "./lastword.js";

const LOG_ROWS = 7, HITS = 5, SHORTEST_SPAN_MS = 600;
const SAY_AFTER_MS = 1200, WORK_EVERY_MS = 500, AGAIN_MS = 1000;
const SENTENCE = ["readdir", "sx\bocket", "permission denied", "strli\b\btol", "timeout", "include <std"];

const find = (selector, within = document) => within.querySelector(selector);
const element = (name, text, className) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
};

/** One way to the server: what was asked, what came of it, and what is on its screen. */
class Side {
  counts = { asked: 0, answers: 0, stale: 0, superseded: 0 };
  requests = [];
  newest = 0; // The number of the newest request that is still wanted; 0: the box is empty.
  shown = 0; // The number of the request whose answer is on the screen.
  isStale = false;
  #root; #isDue = false;

  constructor(id) { this.#root = find(`#${id}`); }

  asked(number, text) {
    this.newest = number;
    this.counts.asked += 1;
    this.requests.unshift({ number, text, begun: performance.now(), fate: "waiting" });
    this.requests.length = Math.min(this.requests.length, 200);
    this.draw();
  }

  cleared() {
    Object.assign(this, { newest: 0, shown: 0, isStale: false });
    this.#fill("nothing typed", "", "");
    find("[data-part=hits]", this.#root).replaceChildren();
    this.draw();
  }

  /** Shows whatever comes: nothing on this page keeps a late answer away. */
  answered(number, result) {
    const request = this.#end(number);
    if (!request) return;
    this.counts.answers += 1;
    this.isStale = number < this.shown || this.newest === 0;
    this.shown = Math.max(number, this.shown);
    request.fate = this.isStale ? "stale" : number === this.newest ? "fresh" : "older";
    if (this.isStale) this.counts.stale += 1;
    this.#show(request, result);
    this.draw();
  }

  superseded(number, mayHaveRun) {
    const request = this.#end(number);
    if (!request) return;
    this.counts.superseded += 1;
    Object.assign(request, { fate: "superseded", mayHaveRun });
    this.draw();
  }

  failed(number, why) {
    const request = this.#end(number);
    if (request) Object.assign(request, { fate: "failed", why });
    this.draw();
  }

  work(milliseconds) { find("[data-count=work]", this.#root).textContent = `${milliseconds.toLocaleString("en")} ms`; }

  #end(number) {
    const request = this.requests.find((request) => request.number === number && request.fate === "waiting");
    if (request) request.took = performance.now() - request.begun;
    return request;
  }

  #fill(badge, kind, shows) {
    const mark = find("[data-part=badge]", this.#root);
    mark.textContent = badge;
    mark.className = `badge ${kind}`;
    find("[data-part=shows]", this.#root).textContent = shows;
  }

  #show({ text, fate }, result) {
    const [files, matches] = [result.files, result.matches].map((count) => count.toLocaleString("en"));
    const amount = `“${text}”: ${files} files, ${matches} times`;
    if (fate === "stale") this.#fill("stale", "stale", amount);
    else if (fate === "fresh") this.#fill("up to date", "fresh", amount);
    else this.#fill("searching …", "waiting", amount);
    const hits = result.top.slice(0, HITS).map((hit) => {
      const row = element("li");
      const line = element("code");
      line.append(...marked(hit.text.trim(), text));
      row.append(element("b", hit.line > 0 ? `${hit.path}:${hit.line}` : hit.path), line);
      return row;
    });
    if (hits.length === 0) hits.push(element("li", "nothing found", "none"));
    find("[data-part=hits]", this.#root).replaceChildren(...hits);
  }

  draw() {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#draw();
    });
  }

  #draw() {
    this.#root.classList.toggle("stale", this.isStale);
    for (const [name, count] of Object.entries(this.counts)) {
      const place = find(`[data-count=${name}]`, this.#root);
      if (!place) continue;
      place.textContent = count;
      place.parentElement.classList.toggle("some", count > 0);
    }
    if (this.newest > this.shown && !this.isStale) {
      const mark = find("[data-part=badge]", this.#root);
      mark.textContent = "searching …";
      mark.className = "badge waiting";
    }
    const rows = this.requests.slice(0, LOG_ROWS);
    const now = performance.now();
    const span = Math.max(SHORTEST_SPAN_MS, ...rows.map((request) => request.took ?? now - request.begun));
    find("[data-part=log]", this.#root).replaceChildren(...rows.map((request) => row(request, now, span)));
    if (rows.some(({ fate }) => fate === "waiting")) this.draw();
  }
}

function row(request, now, span) {
  const { text, fate, took = now - request.begun } = request;
  const item = element("li", undefined, fate);
  const bar = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  bar.setAttribute("aria-hidden", "true");
  const length = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  length.setAttribute("height", "100%");
  length.setAttribute("rx", "4");
  length.setAttribute("width", `${Math.max(1, 100 * took / span)}%`);
  bar.append(length);
  const ms = `${Math.round(took)} ms`;
  const words = {
    waiting: "running", fresh: `shown, ${ms}`, older: `shown, ${ms}`, stale: `STALE, ${ms}`,
    superseded: request.mayHaveRun ? "superseded, may have run" : "superseded, not sent", failed: request.why,
  };
  const said = element("span", words[fate], "fate");
  if (request.mayHaveRun) said.title = "The server had got it, and was told to stop: it may have done the work.";
  item.append(element("code", text), bar, said);
  return item;
}

/** The text, with what was looked for marked in it. */
function marked(text, query) {
  const pieces = [];
  let rest = text;
  for (let at = rest.indexOf(query); at >= 0 && pieces.length < 20; at = rest.indexOf(query)) {
    pieces.push(rest.slice(0, at), element("mark", query));
    rest = rest.slice(at + query.length);
  }
  return [...pieces, rest];
}

const direct = new Side("direct"), gateway = new Side("gateway");
const box = find("#box"), link = find("#link"), said = find("#said"), demo = find("#demo");
let hello, client, before, number = 0, emptying = new AbortController(), sayTimer;

function search(text) {
  if (text === "") {
    emptying.abort();
    emptying = new AbortController();
    direct.cleared();
    gateway.cleared();
    return saySoon();
  }
  if (!hello) return;
  number += 1;
  direct.asked(number, text);
  gateway.asked(number, text);
  askDirectly(number, text);
  askGateway(number, text);
  saySoon();
}

async function askDirectly(number, text) {
  try {
    const words = new URLSearchParams({ reader: hello.reader, number, q: text });
    const response = await fetch(`search?${words}`);
    if (!response.ok) direct.failed(number, response.status === 429 ? "refused: too many" : "failed");
  } catch {
    direct.failed(number, "lost");
  }
}

async function askGateway(number, text) {
  try {
    // Only an empty box takes requests back: by a newer one the gateway supersedes them itself.
    const { signal } = emptying;
    gateway.answered(number, await client.request("search", { q: text }, { key: "box", scope: "connection", signal }));
  } catch (error) {
    if (error instanceof SupersededError) gateway.superseded(number, error.mayHaveRun);
    else gateway.failed(number, error.name === "AbortError" ? "taken back" : "failed");
  }
  saySoon();
}

/** Once the typing has come to rest, and only what it came to. */
function saySoon() {
  clearTimeout(sayTimer);
  sayTimer = setTimeout(() => {
    if (direct.counts.asked === 0) return;
    said.textContent = `Without a gateway: ${direct.counts.answers} answers, ${direct.counts.stale} stale. `
      + `Through lastword: ${gateway.counts.answers} answers, ${gateway.counts.stale} stale, `
      + `${gateway.counts.superseded} superseded.`;
  }, SAY_AFTER_MS);
}

async function work() {
  try {
    const { direct: left, gateway: right } = await (await fetch("work")).json();
    before ??= { left, right };
    direct.work(left - before.left);
    gateway.work(right - before.right);
  } catch {
    // The stream of answers says that the demo is gone.
  }
}

function listen() {
  const answers = new EventSource("answers");
  answers.addEventListener("hello", ({ data }) => {
    const told = JSON.parse(data);
    if (hello && told.run !== hello.run) {
      sessionStorage.setItem("typed", box.value);
      return location.reload();
    }
    const isFirst = !hello;
    hello = told;
    link.textContent = "";
    find("#directory").textContent = told.directory;
    client ??= connect(told.gateway, { onState: (state) => {
      link.textContent = state === "offline" ? "The gateway cannot be reached; trying again …" : "";
    } });
    work();
    if (isFirst && box.value !== "") search(box.value);
  });
  answers.addEventListener("answer", ({ data }) => {
    const { number, result } = JSON.parse(data);
    if (result) direct.answered(number, result);
    else direct.failed(number, "failed");
    saySoon();
  });
  answers.addEventListener("error", () => {
    link.textContent = "The demo cannot be reached; start it again, and this page goes on.";
    for (const request of direct.requests) if (request.fate === "waiting") direct.failed(request.number, "lost");
    if (answers.readyState !== EventSource.CLOSED) return;
    answers.close();
    setTimeout(listen, AGAIN_MS);
  });
}

// MARK: Typing by itself

let typing;

const pause = (ms, signal) => new Promise((resolve, reject) => {
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => {
    clearTimeout(timer);
    reject(signal.reason);
  });
});
const between = (least, most) => least + Math.random() * (most - least);

/** At the pace of somebody who types well, mistakes and looks at the answers included. */
async function typeByItself(signal) {
  for (const words of SENTENCE) {
    let text = "", previous;
    for (const key of words) {
      const isNoticed = key === "\b" && previous !== "\b";
      const beforeWord = previous === " " ? between(30, 80) : 0, notice = isNoticed ? between(120, 260) : 0;
      await pause(between(70, 140) + beforeWord + notice, signal);
      text = key === "\b" ? text.slice(0, -1) : text + key;
      previous = key;
      box.value = text;
      search(text);
    }
    await pause(between(1200, 1700), signal);
  }
}

function stopTyping() {
  typing?.abort();
  typing = undefined;
  demo.textContent = "Type for me";
  demo.setAttribute("aria-pressed", "false");
}

demo.addEventListener("click", async () => {
  if (typing) return stopTyping();
  const mine = (typing = new AbortController());
  demo.textContent = "Stop typing";
  demo.setAttribute("aria-pressed", "true");
  await typeByItself(mine.signal).catch(() => {});
  if (typing === mine) stopTyping();
});
box.addEventListener("input", () => {
  stopTyping();
  search(box.value);
});
find("#form").addEventListener("submit", (event) => event.preventDefault());

box.value = sessionStorage.getItem("typed") ?? "";
sessionStorage.removeItem("typed");
setInterval(() => { if (hello && direct.counts.asked > 0) work(); }, WORK_EVERY_MS);
listen();
