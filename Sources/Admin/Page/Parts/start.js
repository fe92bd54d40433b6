// Starts the page, and what beats in it; `window.lastword` is for the tests.

function refreshLists() {
  if (!clock.isSet) return;
  if (!view.isPaused) { board.choose(clock.now); laneList.refresh(); }
  panel.refresh();
  if (view.isPaused) showPause();
  if (live.seen.a + live.seen.r > 0 || live.lanes.size) element("empty").hidden = true;
}

function sweep() {
  if (!clock.isSet) return;
  const now = view.isPaused ? view.now : clock.now, gauges = live.gauges;
  const isIdle = !view.isPaused && !!gauges && gauges.queued + gauges.running + gauges.draining + (gauges.orphaned ?? 0) === 0;
  live.sweep(now, isIdle);
  play.sweep(now, false);
}

const connection = new Connection();

window.lastword = {
  counts: () => ({ ...(numbers.latest?.counters ?? {}), gauges: { ...(numbers.latest?.gauges ?? {}) }, seen: { ...live.seen, play: { ...play.seen } } }),
  lanes: () => [...live.lanes.values()].map(lane => ({ key: lane.key, policy: lane.policy, tasks: lane.size, shown: lane.row >= 0, ...lane.phases })),
  tasks: key => { const found = []; for (let task = live.laneOf(key).first; task; task = task.next) found.push({ generation: task.generation, fate: task.fate(), by: task.by, ended: task.ended < never }); return found; },
  play: () => Object.fromEntries(panes.map(({ name, log }) => [name, [...log]])),
  merged: mergedInAll,
  shown: () => tally.shown,
  view: () => ({ paused: view.isPaused, now: view.now, span: view.span, filter: view.filter, playground: isPlayground() }),
  frames, errors,
};

theme.follow();
drawTicks();
connection.listen();
connectHands();
connection.open();
setInterval(refreshLists, 250);
setInterval(sweep, 1_000);
requestAnimationFrame(drawFrame);
