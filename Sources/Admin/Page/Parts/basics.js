// Limits, the words for policies and fates, and small helpers that everything else uses.
"use strict";

// What the page may hold and do at most.
const limits = {
  tasks: 150_000, lanes: 5_000, listedTasks: 80, refusals: 64, playLog: 400, keyCharacters: 160,
  takeOverMilliseconds: 2_000, eventsPerMillisecond: 150, burstEvents: 25_000, pausedEvents: 500_000, errors: 50, eventCharacters: 16_000_000,
};
const historyMilliseconds = 35_000, viewDelayMilliseconds = 120, bin = { milliseconds: 100, count: 400 };
const giveUp = { afterMergeMilliseconds: 8_000, milliseconds: 130_000, walkedTasks: 100 };
const never = Infinity, tracksPerLane = 5, calmMilliseconds = 4_000;

const policies = {
  cancel: "The newest wins: it supersedes whatever is live, and starts at once.",
  cancelAndWait: "The newest wins, but starts only when the work it took the place of has really ended.",
  wait: "One after the other, in the order in which they came.",
  concurrent: "All at once; none minds the others.",
  preferPrevious: "The first wins: the same question joins it, and any other is refused.",
  keepLatest: "What runs may finish; of those that wait, only the newest is kept.",
  onAnswer: "All run at once; a result that comes supersedes everything older than itself.",
};
/** What a route adds to a policy. */
const additions = {
  maxRunning: "wait, two at once: the next one starts when one of them ends.",
  follow: "cancel, but who is superseded waits, and gets the newer answer.",
};
const fates = {
  queued: { mark: "▯", says: "waits in the queue" },
  running: { mark: "▶", says: "runs" },
  delivered: { mark: "✓", says: "was delivered" },
  superseded: { mark: "⊘", says: "was superseded" },
  cancelled: { mark: "–", says: "was cancelled" },
  expired: { mark: "◷", says: "ran out of time" },
  failed: { mark: "✕", says: "failed" },
  abandoned: { mark: "∅", says: "was abandoned: its caller's connection had gone" },
  lost: { mark: "?", says: "went out of sight" },
};
/** As what an end counts in the lanes that are not shown; of one that went out of sight nobody knows how it ended. */
const kindOfEnd = fate => (["delivered", "superseded", "failed"].includes(fate) ? fate : "other");
const ghostly = ["superseded", "cancelled", "expired", "failed", "abandoned"];

const element = id => document.getElementById(id);

function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function say(node, text) { if (node.textContent !== text) node.textContent = text; }
function setAttribute(node, name, value) { if (node.getAttribute(name) !== value) node.setAttribute(name, value); }

/** As many rows of a table as there are items, each filled with its own; those beyond are hidden. */
function showRows(rows, items, makeRow, fill) {
  while (rows.length < items.length) rows.push(makeRow());
  rows.forEach((row, index) => { row.node.hidden = index >= items.length; if (index < items.length) fill(row, items[index]); });
}

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const count = number => whole.format(number);

function duration(ms) {
  if (ms < 9.95) return `${Math.round(ms * 10) / 10} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  return `${(ms / 3_600_000).toFixed(1)} h`;
}

// Events are told apart by whole milliseconds.
const span = ms => (ms < 1 ? "less than 1 ms" : duration(ms));

// Controls and what turns the writing direction would garble the lines around them.
function legible(text, limit = limits.keyCharacters) {
  const shown = String(text).replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return shown.length > limit ? `${shown.slice(0, limit)}…` : shown || "(empty key)";
}
