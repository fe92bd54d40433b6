// The page's one state, and how the events of a frame are taken into it.

const paint = new Paint(), scale = new Timescale(), clock = new GatewayClock();
const stories = { told: null, tells(task) { return this.told === task; } };
const live = new History(), play = new History();
const view = { span: 10_000, now: 0, isPaused: false, collectedWhilePaused: 0, filter: "", selected: null };
const tally = { shown: 0, merged: 0, leftOutByGateway: 0, level: 0, levelAt: 0 };
const frames = { drawn: 0, slowest: 0, sum: 0, recent: 0, since: 0 };
const errors = [];
const isCalm = matchMedia("(prefers-reduced-motion: reduce)");

function noteError(text) { if (errors.length < limits.errors) errors.push(String(text)); }
addEventListener("error", event => noteError(event.message));
addEventListener("unhandledrejection", event => noteError(event.reason));

/** Takes a frame's events in, as many as leave time to draw; more are counted, and folded into the densities. */
function takeIn(history, frame) {
  tally.leftOutByGateway += frame.merged || 0;
  if (frame.merged) history.lastGap = frame.t;
  const origins = readOrigins(frame.from, history.marks);
  for (const event of frame.e) {
    if (hasRoom()) { history.apply(event, frame.t, origins); tally.shown += 1; } else fold(history, event, frame.t, origins);
  }
}

function hasRoom() {
  if (view.isPaused && (view.collectedWhilePaused += 1) > limits.pausedEvents) return false;
  const now = performance.now();
  tally.level = Math.max(0, tally.level - (now - tally.levelAt) * limits.eventsPerMillisecond);
  tally.levelAt = now;
  if (tally.level >= limits.burstEvents) return false;
  tally.level += 1;
  return true;
}

// An end that is known to belong to a bar costs little; leaving it out would leave the bar open.
function fold(history, event, start, origins) {
  tally.merged += 1;
  history.lastGap = start + event[1];
  if (event[0] === "a") { history.seen.a += 1; history.density.add("admitted", start + event[1]); return; }
  if (event[0] !== "r" && history.tasks.has(event[2])) history.apply(event, start, origins);
}
