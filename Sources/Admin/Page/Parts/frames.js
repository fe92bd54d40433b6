// Draws what is in view, frame by frame, and the ticks and the legend around it.

function drawBoard() {
  const box = element("scroller"), canvas = element("canvas"), width = element("canvasbox").clientWidth, height = box.clientHeight;
  if (!width || !height) return;
  const entries = laneList.entries, g = prepare(canvas, width, Math.min(height, Math.max(entries.length * board.height, 1)), paint);
  const top = Math.max(0, Math.min(box.scrollTop, entries.length * board.height - height));
  canvas.style.transform = `translateY(${top}px)`;
  scale.set(view.now, view.span, width);
  paint.scroll(scale);
  drawGrid(g, paint, scale, height);
  const first = Math.floor(top / board.height), last = Math.min(entries.length - 1, Math.ceil((top + height) / board.height));
  for (let index = first; index <= last; index += 1) {
    const y = index * board.height - top;
    if (entries[index].isOthers) drawDensity(g, paint, scale, live.density, y, board.height);
    else drawLane(g, paint, scale, live, entries[index], y, board.height);
    g.fillStyle = paint.colours.line;
    g.fillRect(0, y + board.height - 1, width, 1);
  }
}

// Where drawing takes most of a frame's time, every second or third one is drawn: input and events come first.
function isTooMuch() {
  frames.since += 1;
  if (frames.since <= Math.min(5, Math.floor(frames.recent / 12))) return true;
  frames.since = 0;
  return false;
}

function drawFrame() {
  requestAnimationFrame(drawFrame);
  if (!clock.isSet || document.hidden || isTooMuch()) return;
  const begun = performance.now();
  if (!view.isPaused) {
    const now = clock.now - viewDelayMilliseconds;
    if (isCalm.matches && now - view.now < 500 && now > view.now) return;
    view.now = now;
  } else if (!view.isDirty) { return; }
  view.isDirty = false;
  if (isPlayground()) for (const pane of panes) pane.draw(); else drawBoard();
  const took = performance.now() - begun;
  frames.drawn += 1; frames.sum += took; frames.recent = frames.recent * 0.95 + took * 0.05;
  if (frames.drawn > 20) frames.slowest = Math.max(frames.slowest, took);
}

function drawTicks() {
  const ticks = [], seconds = view.span / 1000, step = seconds > 15 ? 5 : seconds > 5 ? 2 : 1;
  for (let back = 0; back < seconds; back += step) {
    const tick = make("span", {}, back ? `−${back} s` : "now");
    tick.style.left = `calc((100% - 10px) * ${1 - back / seconds} - ${back ? 0 : 12}px)`;
    ticks.push(tick);
  }
  element("ticks").replaceChildren(...ticks);
}

function drawLegend() {
  const samples = [
    ["queued", { sent: never }], ["running", {}], ["delivered", { ended: 80, outcome: "delivered" }],
    ["superseded, then its ghost", { left: 45, why: "superseded", ended: 88, outcome: "silent" }],
    ["late answer, dropped", { left: 30, why: "superseded", ended: 76, outcome: "late" }],
    ["cancelled", { left: 70, why: "cancelled", ended: 72, outcome: "silent" }], ["expired", { left: 70, why: "expired", ended: 72, outcome: "silent" }],
    ["failed", { ended: 64, outcome: "failed" }], ["abandoned", { left: 70, why: "abandoned", ended: 72, outcome: "silent" }],
    ["joined", { ended: 88, outcome: "delivered", joins: [45] }], ["refused", null],
  ];
  const sampleScale = new Timescale(), lane = new Lane("legend", 0);
  geometry.set(20, 1);
  const items = samples.map(([name, parts]) => {
    const canvas = make("canvas", { "aria-hidden": "true" }), g = prepare(canvas, 40, 14, paint);
    sampleScale.set(100, 100, 48);
    paint.scroll(sampleScale);
    if (parts) drawTask(g, paint, sampleScale, Object.assign(new Task().begin(0, lane, "", "", 4, 0), { sent: 4, track: 0 }, parts), 3, 8);
    else drawRefusals(g, paint, sampleScale, { refusals: [{ at: 55 }] }, 0, 14);
    return make("li", {}, canvas, name);
  });
  element("legend").replaceChildren(...items);
}

function repaint() { paint.read(); drawLegend(); view.isDirty = true; }
