// How a lane and its tasks are drawn on a canvas, and which task is under the pointer.

/** Colours and patterns of the theme. Patterns tell the fates apart without colour. */
class Paint {
  constructor() { this.colours = {}; this.patterns = {}; }

  read() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["ground", "surface", "line", "text", "muted", "queued", "running", "delivered", "failed", "onsolid",
      "superseded", "cancelled", "expired", "abandoned", "accent"]) {
      this.colours[name] = style.getPropertyValue(`--${name}`).trim();
    }
    this.colours.lost = this.colours.abandoned;
    this.mono = `10px ${style.getPropertyValue("--mono")}`;
    for (const fate of ghostly) this.patterns[fate] = this.pattern(fate);
    this.isRead = true;
  }

  pattern(fate) {
    const size = 6, density = Math.max(1, Math.round(devicePixelRatio)), tile = document.createElement("canvas");
    tile.width = tile.height = size * density;
    const g = tile.getContext("2d");
    g.scale(density, density);
    g.fillStyle = g.strokeStyle = this.colours[fate];
    g.globalAlpha = 0.28;
    g.fillRect(0, 0, size, size);
    g.globalAlpha = 1;
    g.lineWidth = 1.7;
    g.beginPath();
    if (fate === "superseded") for (const x of [-size, 0, size]) { g.moveTo(x - 1, size + 1); g.lineTo(x + size + 1, -1); }
    if (fate === "cancelled") { g.moveTo(0, 3); g.lineTo(size, 3); }
    if (fate === "abandoned") { g.moveTo(3, 0); g.lineTo(3, size); }
    if (fate === "failed") { g.moveTo(0, 0); g.lineTo(size, size); g.moveTo(size, 0); g.lineTo(0, size); }
    if (fate === "expired") g.arc(3, 3, 1, 0, 7);
    g.stroke();
    const pattern = g.createPattern(tile, "repeat");
    pattern.density = density;
    return pattern;
  }

  /** Patterns go along with the bars instead of standing still behind them. */
  scroll(scale) {
    const shift = -((scale.now * scale.pixelsPerMillisecond) % 6);
    for (const fate of ghostly) {
      const pattern = this.patterns[fate];
      pattern.setTransform(new DOMMatrix([1 / pattern.density, 0, 0, 1 / pattern.density, shift, 0]));
    }
  }
}

/** Which moment is where. */
class Timescale {
  set(now, span, width) {
    this.now = now; this.span = span; this.width = width - 10;
    this.pixelsPerMillisecond = this.width / span;
    this.start = now - span;
    return this;
  }
  x(time) { return this.width - (this.now - time) * this.pixelsPerMillisecond; }
}

function drawTask(g, paint, scale, task, y, height) {
  const now = scale.now;
  if (task.admitted > now || task.track < 0) return;
  const end = Math.min(task.ended, now);
  if (end < scale.start) return;
  const isGhostPossible = task.left <= end, alive = Math.min(task.left, end), fate = task.fate(now);
  const wasSent = task.sent <= alive && task.sent <= now, begun = Math.max(task.admitted, task.placed);
  if ((end - begun) * scale.pixelsPerMillisecond < 2.5) { drawSpeck(g, paint, fate, scale.x(begun), y, height); return; }
  if (geometry.isCrowded) { drawPlainly(g, paint, scale, fate, begun, task.sent, alive, end, y, height); return; }
  const from = Math.max(scale.x(begun), -4), started = wasSent ? Math.max(scale.x(task.sent), -4) : scale.x(alive);
  if (started - from > 1 || !wasSent) drawQueued(g, paint, from, started, y, height, wasSent ? "queued" : fate);
  let right = started;
  if (wasSent) {
    right = Math.max(scale.x(alive), started + 2);
    drawRun(g, paint, fate, started, right, y, height);
    if (isGhostPossible && end > task.left) drawGhost(g, paint, scale, task, right, Math.max(scale.x(end), right), y, height);
  }
  if (fate !== "running" && fate !== "queued") drawEnd(g, paint, fate, right, y, height, right - started);
  if (wasSent && task.began <= alive) drawBeginning(g, paint, scale.x(task.began), y, height);
  drawJoins(g, paint, scale, task, y, height);
  drawGeneration(g, paint, task, fate, Math.max(started, 0), right, y, height);
}

/** Where bars are too many for patterns and marks to be seen, and too many to draw them. */
function drawPlainly(g, paint, scale, fate, begun, sent, left, end, y, height) {
  const from = scale.x(begun), run = scale.x(Math.min(sent, left)), ghost = scale.x(left), to = scale.x(end);
  g.fillStyle = paint.colours[fate];
  g.globalAlpha = 0.25;
  if (run - from > 1) g.fillRect(from, y, run - from, height);
  if (to - ghost > 1) g.fillRect(ghost, y + 1, to - ghost, height - 2);
  g.globalAlpha = 1;
  g.fillRect(run, y, Math.max(ghost - run - 1, 1.5), height);
}

/** Too short for anything but a colour. */
function drawSpeck(g, paint, fate, x, y, height) {
  g.fillStyle = paint.colours[fate];
  g.fillRect(x, y, 2, height);
}

function drawQueued(g, paint, from, to, y, height, fate) {
  const width = Math.max(to - from, 1.5);
  g.globalAlpha = 0.16;
  g.fillStyle = g.strokeStyle = paint.colours[fate] ?? paint.colours.queued;
  g.fillRect(from, y, width, height);
  g.globalAlpha = 0.95;
  g.lineWidth = 1;
  if (width > 3) g.strokeRect(from + 0.5, y + 0.5, width - 1, height - 1); else g.fillRect(from, y, 1, height);
  if (ghostly.includes(fate) && width > 3) { g.fillStyle = paint.patterns[fate]; g.globalAlpha = 0.3; g.fillRect(from, y, width, height); }
  g.globalAlpha = 1;
}

function drawRun(g, paint, fate, from, to, y, height) {
  const pattern = to - from > 5 ? paint.patterns[fate] : undefined;
  if (fate === "failed" || fate === "lost" || !pattern) {
    g.globalAlpha = fate === "lost" ? 0.35 : 1;
    g.fillStyle = paint.colours[fate];
  } else {
    g.fillStyle = pattern;
  }
  g.fillRect(from, y, to - from, height);
  g.globalAlpha = 1;
}

/** From the moment its caller was answered until upstream really ended it. */
function drawGhost(g, paint, scale, task, from, to, y, height) {
  const inset = Math.min(2, height / 5);
  g.globalAlpha = 0.38;
  g.fillStyle = paint.patterns[task.why] ?? paint.colours.muted;
  g.fillRect(from, y + inset, to - from, height - 2 * inset);
  if (task.ended > scale.now) { g.globalAlpha = 1; return; }
  g.globalAlpha = 0.9;
  g.strokeStyle = g.fillStyle = paint.colours[task.why] ?? paint.colours.muted;
  g.lineWidth = 1.3;
  if (task.outcome === "late" && to - from > 4) {
    const radius = Math.min(3.2, height / 2 - 0.6);
    g.beginPath(); g.arc(to + radius, y + height / 2, radius, 0, 7); g.stroke();
  } else {
    g.fillRect(to - 1, y + inset, 1.3, height - 2 * inset);
  }
  g.globalAlpha = 1;
}

function drawEnd(g, paint, fate, x, y, height, room) {
  const middle = y + height / 2, radius = Math.min(height / 2 - 0.5, 4.5);
  g.fillStyle = g.strokeStyle = paint.colours[fate] ?? paint.colours.muted;
  if (fate === "delivered") {
    g.fillStyle = paint.colours.text;
    g.fillRect(x - (room > 6 ? 2 : 1), y, room > 6 ? 2 : 1, height);
    return;
  }
  g.fillRect(x - 1, y - 1, 2, height + 2);
  if (fate === "failed") {
    g.lineWidth = 1.6;
    g.beginPath();
    g.moveTo(x + 2, middle - radius); g.lineTo(x + 2 + 2 * radius, middle + radius);
    g.moveTo(x + 2, middle + radius); g.lineTo(x + 2 + 2 * radius, middle - radius);
    g.stroke();
  }
  if (fate === "expired") { g.beginPath(); g.moveTo(x + 1, y); g.lineTo(x + 1 + radius, middle); g.lineTo(x + 1, y + height); g.fill(); }
}

function drawJoins(g, paint, scale, task, y, height) {
  if (!task.joins) return;
  g.fillStyle = paint.colours.text;
  for (const at of task.joins) {
    if (at > scale.now || at < scale.start) continue;
    g.beginPath(); g.arc(scale.x(at), y + height - 2.5, Math.min(2.2, height / 3), 0, 7); g.fill();
  }
}

/** Where the first piece of its answer came. */
function drawBeginning(g, paint, x, y, height) {
  g.fillStyle = paint.colours.text;
  g.fillRect(x - 0.5, y + 1, 1, height - 2);
}

/** What may stand in a bar, from the most that there is to say to the least. */
function labels(task, room) {
  const { mark = "", label: who = "" } = task.from ?? {}, number = `${mark}${task.generation}`, found = [];
  if (room > 130 && task.method) {
    const named = `${number} ${legible(task.method, 40)}`;
    if (who) found.push(`${named} · ${who}`);
    found.push(named);
  }
  if (who) found.push(`${number} ${who}`);
  found.push(number);
  if (mark) found.push(mark);
  return found;
}

const margin = label => (label.length > 1 ? 5 : 2);

function drawGeneration(g, paint, task, fate, from, to, y, height) {
  const room = to - from;
  if (height < 9 || room < (task.from?.mark ? 10 : 30)) return;
  const label = labels(task, room).find(text => text.length * 6.02 + 2 * margin(text) <= room);
  if (label === undefined) return;
  const start = from + margin(label), width = label.length * 6.02 + 6;
  const isSolid = fate === "delivered" || fate === "running" || fate === "failed";
  if (!isSolid) {
    g.globalAlpha = 0.82; g.fillStyle = paint.colours.ground;
    g.fillRect(Math.max(start - 3, from), y + 1, Math.min(width, room), height - 2);
    g.globalAlpha = 1;
  }
  g.fillStyle = isSolid ? paint.colours.onsolid : paint.colours.text;
  g.fillText(label, start, y + height / 2 + 0.5);
}

/** An arrow from the task that lost its place to the one that took it. */
function drawSuccession(g, paint, scale, history, task, y, geometry) {
  if (task.by === null || task.left > scale.now || task.left < scale.start || task.track < 0) return;
  const successor = history.tasks.get(task.by);
  if (!successor || successor.track < 0 || successor.track === task.track || successor.lane !== task.lane) return;
  const x = Math.round(scale.x(task.left)), down = successor.track > task.track ? 1 : -1;
  const from = y + geometry.trackY(task.track) + (down > 0 ? geometry.height : 0);
  const to = y + geometry.trackY(successor.track) + (down > 0 ? 0 : geometry.height);
  g.strokeStyle = g.fillStyle = paint.colours.superseded;
  g.globalAlpha = 0.85; g.lineWidth = 1.2;
  g.beginPath(); g.moveTo(x, from); g.lineTo(x, to); g.stroke();
  if (Math.abs(to - from) > 1.5 || geometry.height > 8) {
    g.beginPath(); g.moveTo(x, to + down * 2); g.lineTo(x - 3, to - down * 2.5); g.lineTo(x + 3, to - down * 2.5); g.fill();
  }
  g.globalAlpha = 1;
}

function drawRefusals(g, paint, scale, lane, y, height) {
  g.strokeStyle = paint.colours.failed;
  g.lineWidth = 1.5;
  for (const { at } of lane.refusals) {
    if (at > scale.now || at < scale.start) continue;
    const x = scale.x(at), bottom = y + height - 3;
    g.beginPath(); g.moveTo(x - 3, bottom - 6); g.lineTo(x + 3, bottom); g.moveTo(x + 3, bottom - 6); g.lineTo(x - 3, bottom); g.stroke();
  }
}

/** Where the tracks of a lane are within its height. */
class TrackGeometry {
  set(rowHeight, tracksUsed) {
    this.count = tracksUsed;
    this.pad = rowHeight < 40 ? 2 : 6;
    this.gap = rowHeight < 60 ? 1 : 3;
    this.height = Math.min(18, (rowHeight - 2 * this.pad - (this.count - 1) * this.gap) / this.count);
    this.top = (rowHeight - this.count * this.height - (this.count - 1) * this.gap) / 2;
    return this;
  }
  trackY(track) { return this.top + track * (this.height + this.gap); }
}

const geometry = new TrackGeometry();

function drawLane(g, paint, scale, history, lane, y, rowHeight) {
  geometry.set(rowHeight, lane.tracksUsed);
  geometry.isCrowded = lane.size * Math.min(1, scale.span / historyMilliseconds) > scale.width / 3;
  let used = 2;
  for (let task = lane.first; task; task = task.next) {
    if (task.ended < scale.start) continue;
    used = Math.max(used, task.track + 1);
    drawTask(g, paint, scale, task, y + geometry.trackY(task.track), geometry.height);
  }
  lane.fit(used, scale.now);
  if (rowHeight >= 40 && !geometry.isCrowded) {
    for (let task = lane.first; task; task = task.next) {
      if (task.by !== null) drawSuccession(g, paint, scale, history, task, y, geometry);
    }
  }
  if (lane.refusals.length) drawRefusals(g, paint, scale, lane, y, rowHeight);
  const tail = lane.phases.queued;
  if (tail > 1) drawTail(g, paint, scale, tail, y, rowHeight);
}

function drawTail(g, paint, scale, tail, y, rowHeight) {
  const label = `${tail} queued`, width = label.length * 6.02 + 8;
  g.globalAlpha = 0.9; g.fillStyle = paint.colours.ground;
  g.fillRect(scale.width - width, y + rowHeight - 14, width, 13);
  g.globalAlpha = 1; g.fillStyle = paint.colours.queued;
  g.fillText(label, scale.width - width + 4, y + rowHeight - 7);
}

const endKinds = ["delivered", "superseded", "failed", "other"];

/** The lanes that are not shown: what ended how, stacked, and a line for what was admitted. */
function drawDensity(g, paint, scale, density, y, rowHeight) {
  const firstBin = Math.floor(scale.start / bin.milliseconds), lastBin = Math.floor(scale.now / bin.milliseconds) - 1;
  let most = 4;
  for (let number = firstBin; number <= lastBin; number += 1) {
    most = Math.max(most, density.at("admitted", number),
      endKinds.reduce((sum, kind) => sum + density.at(kind, number), 0));
  }
  const unit = (rowHeight - 8) / most, width = bin.milliseconds * scale.pixelsPerMillisecond, bottom = y + rowHeight - 2;
  for (const [index, kind] of endKinds.entries()) {
    const below = endKinds.slice(0, index);
    g.fillStyle = kind === "superseded" ? paint.patterns.superseded : paint.colours[kind === "other" ? "abandoned" : kind];
    for (let number = firstBin; number <= lastBin; number += 1) {
      const height = density.at(kind, number) * unit;
      if (!height) continue;
      const base = below.reduce((sum, other) => sum + density.at(other, number), 0) * unit;
      g.fillRect(scale.x(number * bin.milliseconds), bottom - base - height, Math.max(width - 1, 1), height);
    }
  }
  g.strokeStyle = paint.colours.text; g.lineWidth = 1; g.globalAlpha = 0.7;
  g.beginPath();
  for (let number = firstBin; number <= lastBin; number += 1) {
    const x = scale.x(number * bin.milliseconds), top = bottom - density.at("admitted", number) * unit;
    g.lineTo(x, top); g.lineTo(x + width, top);
  }
  g.stroke();
  g.globalAlpha = 1;
}

function drawGrid(g, paint, scale, height) {
  const step = scale.span > 15_000 ? 5_000 : 1_000;
  g.fillStyle = paint.colours.line;
  g.globalAlpha = 0.6;
  for (let back = step; back < scale.span; back += step) g.fillRect(Math.round(scale.x(scale.now - back)), 0, 1, height);
  g.globalAlpha = 1;
  g.fillStyle = paint.colours.accent;
  g.fillRect(Math.round(scale.width), 0, 1, height);
}

/** Makes a canvas as sharp as the screen; gives its context, cleared. */
function prepare(canvas, width, height, paint) {
  const density = devicePixelRatio || 1, wide = Math.round(width * density), high = Math.round(height * density);
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide; canvas.height = high;
    canvas.style.width = `${width}px`; canvas.style.height = `${height}px`;
  }
  const g = canvas.getContext("2d");
  g.setTransform(density, 0, 0, density, 0, 0);
  g.clearRect(0, 0, width, height);
  g.font = paint.mono;
  g.textBaseline = "middle";
  return g;
}

function taskAt(lane, scale, x, y, rowHeight) {
  geometry.set(rowHeight, lane.tracksUsed);
  for (let task = lane.last; task; task = task.previous) {
    if (task.track < 0 || task.admitted > scale.now) continue;
    const top = geometry.trackY(task.track);
    if (y < top - 1 || y > top + geometry.height + 1) continue;
    if (x >= scale.x(task.admitted) - 3 && x <= scale.x(Math.min(task.ended, scale.now)) + 4) return task;
  }
  return null;
}
