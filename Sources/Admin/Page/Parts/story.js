// A task's story in words: its steps, why it ended, and what its callers were told.

function upstreamPart(task) {
  if (task.effect) return task.effect;
  return task.sent > task.left ? "notSent" : task.told < never && task.why !== "failed" ? "cancelSent" : "mayHaveCompleted";
}

function linkTo(generation, history, epoch) {
  const other = history.withGeneration(generation, epoch);
  if (!other) return make("b", {}, `generation ${generation}`);
  const link = make("button", { class: "link" }, `generation ${generation}`);
  link.onclick = () => panel.tell(other, generation, history);
  return link;
}

function verdictOn(task, history) {
  const by = task.by === null ? ["a newer task"] : [linkTo(task.by, history, task.epoch)];
  switch (task.fate()) {
  case "queued": return ["It waits: earlier tasks of its key have not ended yet."];
  case "running": return ["It runs: upstream is at work on it."];
  case "delivered": return [`Its answer was delivered ${span(task.ended - task.admitted)} after it came: it had the last word.`];
  case "superseded":
    if (isOutdated(task)) return [`Dropped because a notification (an edit, say) came ${span(task.left - task.admitted)} after it, before it could be sent.`];
    return ["Dropped because ", ...by, ` took its place ${span(task.left - task.admitted)} after it came. `
      + (task.sent > task.left ? "It was still in the queue and never went upstream." : "It was running; what upstream says of it is of no interest any more.")];
  case "cancelled": return ["Its own caller cancelled it."];
  case "expired": return [`It ran out of time: no answer within ${span(task.left - task.admitted)}.`];
  case "abandoned": return ["Its caller's connection had gone before there was an answer, so nobody was left to tell."];
  case "failed": return [task.left < never ? "It failed: upstream could not be asked, or was lost on the way." : "Upstream answered with an error, and its caller got that."];
  default: return ["Its end was not heard of. The page may have missed it, or the gateway was started anew."];
  }
}

function storySteps(task, history) {
  const steps = [[task.admitted, ["Admitted into ", make("bdi", { class: "mono" }, task.lane.name), ` with policy ${task.policy}${task.from ? ", from " : "."}`, ...(task.from ? [task.from.node, "."] : [])]]];
  for (const victim of history.victims(task)) {
    steps.push([victim.left, ["It took the place of ", linkTo(victim.generation, history, victim.epoch), ...(victim.from ? [", from ", victim.from.node] : []), "."]]);
  }
  (task.joins ?? []).slice(0, 20).forEach((at, index) => {
    const from = task.joiners[index];
    steps.push([at, ["One more caller asked the very same, and joined it", ...(from ? [": ", from.node] : []), "."]]);
  });
  if (task.sent < never) {
    const waited = task.sent - task.admitted;
    steps.push([task.sent, [waited >= 1 ? `Sent upstream, after ${duration(waited)} in the queue.` : "Sent upstream at once."]]);
  }
  if (task.began < never) steps.push([task.began, [`The first piece of its answer came, ${duration(task.began - task.admitted)} after it was asked for.`]]);
  if (task.left < never) steps.push([task.left, leavingStep(task, history)]);
  else for (const { at, why } of (task.leavings ?? []).slice(0, 20)) steps.push([at, [`One of its callers left: ${why}. The others still wait.`]]);
  if (task.told < never) steps.push([task.told, ["Upstream was told to cancel it."]]);
  if (task.ended < never && (task.left === never || task.sent < task.left)) steps.push([task.ended, [endStep(task)]]);
  return steps.sort((a, b) => a[0] - b[0]);
}

function leavingStep(task, history) {
  const callers = (task.leavings ?? []).filter(leaving => leaving.at >= task.left).length;
  const told = task.why === "abandoned" ? " Nobody could be told." : callers > 1 ? ` Its ${callers} callers were told at once.` : " Its caller was told at once.";
  if (task.why !== "superseded") return [`${task.why[0].toUpperCase()}${task.why.slice(1)}.${told}`];
  if (isOutdated(task)) return ["A notification came that it must not be sent behind.", told];
  const by = task.by === null ? "a newer task" : linkTo(task.by, history, task.epoch);
  const successor = task.by === null ? null : history.withGeneration(task.by, task.epoch);
  const from = successor?.from ? [", from ", successor.from.node] : [];
  return ["Superseded by ", by, successor ? ` (policy ${successor.policy})` : "", ...from, ".", told];
}

function endStep(task) {
  const after = task.left < never ? span(task.ended - task.left) : "";
  switch (task.outcome) {
  case "delivered": return "Upstream answered; the result was delivered.";
  case "failed": return task.left < never ? `It ended ${after} later.` : "Upstream answered with an error; it was delivered.";
  case "late": return `Upstream's answer came ${after} later and was dropped: nobody saw it.`;
  case "stopped": return `Upstream gave it up ${after} later.`;
  case "silent": return `It ended ${after} later; nothing more was heard of it.`;
  default: return "The page gave up waiting to hear of its end.";
  }
}

const errorCodes = { superseded: [-32080, "superseded by a newer request"], cancelled: [-32800, "cancelled"], expired: [-32083, "deadline exceeded"], failed: [-32084, "upstream unavailable"], shuttingDown: [-32085, "shutting down"] };

/** A notification came that it must not be sent behind: no other request took its place. */
function isOutdated(task) { return task.code === -32801 && task.by === null; }

function callersAnswer(task) {
  const [usual, usualMessage] = errorCodes[task.said] ?? errorCodes[task.why];
  const code = task.code ?? usual, message = isOutdated(task) ? "content modified before it was sent" : usualMessage;
  const data = { key: task.lane.key === null ? undefined : legible(task.lane.key), generation: task.generation,
    supersededBy: task.by ?? undefined, phase: task.sent > task.left ? "queued" : "running", upstream: upstreamPart(task) };
  return JSON.stringify({ code, message, data }, null, 1).replace(/\n */g, " ");
}

const meaning = {
  notSent: "upstream never heard of it, so there is nothing to clean up",
  cancelSent: "upstream was told to stop, and may have done some of the work",
  mayHaveCompleted: "upstream was not told to stop, or could not be; the work may have been done",
};

function tellStory(task, history) {
  const fate = task.fate(), mark = make("span", { class: `fate fate-${fate}`, "data-mark": fates[fate].mark }, fate);
  const list = make("ol");
  for (const [at, parts] of storySteps(task, history)) {
    list.append(make("li", {}, make("time", {}, `${wallTime(at)}+${duration(Math.max(0, at - task.admitted))}`), ...parts));
  }
  if (task.left < never && task.ended === never) list.append(make("li", { class: "muted" }, "Upstream has not ended it yet: it drains."));
  const facts = make("dl");
  for (const [name, value] of [["key", task.lane.key === null ? "none" : legible(task.lane.key, 600)], ["method", legible(task.method || "?", 300)],
    ["policy", task.policy], ["callers", String((task.joins?.length ?? 0) + 1)]]) {
    facts.append(make("dt", {}, name), make("dd", {}, make("bdi", { class: "mono" }, value)));
  }
  addOrigins(task, history, facts);
  const told = task.left < never && errorCodes[task.why]
    ? [make("p", {}, make("b", {}, "What its caller was told")), make("pre", {}, callersAnswer(task)),
      make("p", { class: "muted" }, `${upstreamPart(task)}: ${meaning[upstreamPart(task)]}.`)] : [];
  return [make("h3", {}, `${task.generation} `, mark), make("p", { class: "why" }, ...verdictOn(task, history)), list, ...told, facts];
}

// The gateway's clock may count from anywhere; only a date of our days is worth showing as one.
function wallTime(at) {
  if (at < 1.5e12) return "";
  const date = new Date(at);
  return `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, "0")}  `;
}
