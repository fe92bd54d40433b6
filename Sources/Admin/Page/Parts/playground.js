// The playground: a pane for each policy and for what a route adds to one, and who sends requests to all of them.

const senders = {
  ann: { mark: "■", says: "a tab, WebSocket over TLS" },
  ben: { mark: "◇", says: "a script, POST" },
};
for (const [name, { mark, says }] of Object.entries(senders)) {
  play.marks.set(name, mark);
  element("sender").append(make("option", { value: name }, `${mark} ${name}`));
  element("senders").append(make("li", {}, make("b", {}, make("span", { "aria-hidden": "true" }, mark), ` ${name}`), `: ${says}`));
}

/** Who sends the request of this number, counted from 0. */
function senderOf(number) {
  const names = Object.keys(senders), chosen = element("sender").value;
  return chosen in senders ? chosen : names[number % names.length];
}

function announceSender() {
  const { value } = element("sender");
  announce(value in senders ? `Requests come from ${value}: ${senders[value].says}` : "Requests come from all in turn");
}

function nextSender() {
  const choice = element("sender");
  choice.selectedIndex = (choice.selectedIndex + 1) % choice.options.length;
  announceSender();
}

/** One policy, with or without an addition: what it does, a button, and the bars of what came of it. */
class Pane {
  constructor(name, does, number) {
    this.name = name; this.log = []; this.sent = 0;
    this.canvas = make("canvas", { "aria-hidden": "true" });
    this.strip = make("div", { class: "strip" }, this.canvas);
    this.note = make("p", { class: "note muted", "aria-live": "polite" }, "\u00a0");
    this.button = make("button", { "data-pane": name, "aria-label": `Send to ${name}` }, "Send ", make("kbd", {}, String(number)));
    this.button.onclick = () => this.send();
    this.node = make("section", { class: "pane", "aria-label": name }, make("h3", {}, name), this.button,
      make("p", { class: "about" }, does), this.strip, this.note);
    this.strip.onclick = event => { const task = this.taskUnder(event); if (task) panel.tell(task, task.generation, play); };
    this.strip.onpointermove = event => showTip(event, this.taskUnder(event));
    this.strip.onpointerleave = () => hideTip();
    element("panes").append(this.node);
  }

  get lane() { return play.laneOf(this.name); }

  async send() {
    if (view.isPaused) pause(false);
    const from = senderOf(this.sent), ms = element("work").value * this.share();
    try {
      const answer = await ask(`playground/send?pane=${this.name}&ms=${ms}&from=${from}`, { method: "POST" });
      if (answer.status === 429) this.tell("too many at once: let some end first");
      else if (!answer.ok) this.tell(`the gateway answered ${answer.status}`);
    } catch { this.tell("the gateway cannot be reached"); }
  }

  /** Work of one length would end in the order in which it began; only the very same request can be joined. */
  share() {
    this.sent += 1;
    return this.name === "preferPrevious" ? 1 : [1, 0.5, 0.75][(this.sent - 1) % 3];
  }

  tell(text) { say(this.note, text); }

  hear(kind, task, from, reason) {
    if (this.log.length >= limits.playLog) this.log.shift();
    const by = kind === "x" && task.by !== null ? `:${task.by}` : "";
    this.log.push(task ? `${kind}${task.generation}${kind === "x" ? `:${task.why || "cancelled"}${by}` : ""}` : `r:${reason}`);
    const text = this.describe(kind, task, from, reason);
    if (text) this.tell(text);
  }

  describe(kind, task, from, reason) {
    const number = task?.generation, who = from?.label || "somebody", came = from?.how ? `${who} (${from.how})` : who;
    switch (kind) {
    case "a": return `${number} came from ${came}, and waits`;
    case "j": return `${came} joined ${number}`;
    case "r": return `${came} was refused at the door: ${reason}`;
    case "s": return `${number} runs, for ${came}`;
    case "p": return `the first piece of ${number} came`;
    case "f": return `${who} of ${number} waits for ${task.by} from now on`;
    case "x": return task.why === "superseded" ? `${task.by ?? "a newer one"} superseded ${number}; ${task.joins ? "its callers were" : `${who} was`} told at once` : `${number}: ${task.why || "one caller left"}`;
    case "d": return task.outcome === "delivered" ? `${number} was delivered to ${task.joins ? `its ${task.joins.length + 1} callers` : who}` : `${number} failed`;
    case "z": return task.outcome === "late" ? `the answer of ${number} came late and was dropped` : `upstream gave up ${number}`;
    default: return "";
    }
  }

  taskUnder(event) {
    const box = this.strip.getBoundingClientRect();
    scale.set(view.now, playSpan(), box.width);
    return taskAt(this.lane, scale, event.clientX - box.left, event.clientY - box.top, box.height);
  }

  draw() {
    const width = this.strip.clientWidth, height = this.strip.clientHeight, g = prepare(this.canvas, width, height, paint);
    scale.set(view.now, playSpan(), width);
    paint.scroll(scale);
    drawGrid(g, paint, scale, height);
    drawLane(g, paint, scale, play, this.lane, 0, height);
  }
}

const playSpan = () => Math.min(view.span, 10_000);
const panel = new Panel();
const panes = Object.entries({ ...policies, ...additions }).map(([name, does], index) => new Pane(name, does, index + 1));
play.heard = (kind, task, at, from, lane, reason) => {
  const pane = panes.find(({ name }) => name === (task ? task.lane : lane).key);
  if (pane) pane.hear(kind, task, from, reason);
};

const typing = { letters: 5, pauseMilliseconds: 200, left: 0 };

function sendToAll() { for (const pane of panes) pane.send(); }

function typeWord() {
  if (typing.left > 0) return;
  typing.left = typing.letters;
  const strike = () => { sendToAll(); if ((typing.left -= 1) > 0) setTimeout(strike, typing.pauseMilliseconds); };
  strike();
}

function showPlayground(isWanted) {
  element("play").hidden = !isWanted;
  element("live").hidden = isWanted;
  setAttribute(element("playbutton"), "aria-pressed", String(isWanted));
  view.isDirty = true;
  hideTip();
  if (isWanted) panes[0].button.focus(); else laneList.focus(laneList.focused);
}
const isPlayground = () => !element("play").hidden;
