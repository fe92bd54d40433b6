// What keyboard and pointer do.

function boardTaskUnder(event) {
  const box = element("canvas").getBoundingClientRect(), y = event.clientY - box.top + element("scroller").scrollTop;
  const entry = laneList.entries[Math.floor(y / board.height)];
  if (!entry || entry.isOthers) return { entry, task: null };
  scale.set(view.now, view.span, box.width);
  return { entry, task: taskAt(entry, scale, event.clientX - box.left, y % board.height, board.height) };
}

function showTip(event, task) {
  const tip = element("tip");
  tip.hidden = !task;
  if (!task) return;
  const fate = task.fate(view.now), end = Math.min(task.left, task.ended, view.now);
  say(tip, `${task.generation} ${legible(task.method, 60)} · ${task.policy} · ${fates[fate].mark} ${fate}${task.by === null ? "" : ` by ${task.by}`} · ${duration(Math.max(0, end - task.admitted))}${task.from ? ` · ${task.from.mark}${task.from.short}` : ""}`);
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 12, innerWidth - 350))}px`;
  tip.style.top = `${Math.min(event.clientY + 14, innerHeight - 50)}px`;
}
function hideTip() { element("tip").hidden = true; }

function pause(isWanted = !view.isPaused) {
  view.isPaused = isWanted;
  view.collectedWhilePaused = 0;
  view.isDirty = true;
  setAttribute(element("pause"), "aria-pressed", String(isWanted));
  say(element("pause"), isWanted ? "Go on" : "Pause");
  showPause();
}

function showPause() {
  if (!connection.hasBeenUp || !element("state").classList.contains("up")) return;
  say(element("statetext"), view.isPaused
    ? `paused ${duration(clock.now - view.now)} ago; ${count(Math.min(view.collectedWhilePaused, limits.pausedEvents))} events kept since` : "connected");
}

function filterBy(text) {
  view.filter = text.trim().toLowerCase();
  board.begin();
  board.choose(view.now);
  laneList.refresh();
}

const theme = {
  kept() { try { return localStorage.getItem("lastword.theme"); } catch { return null; } },
  keep(name) { try { localStorage.setItem("lastword.theme", name); } catch { /* it is remembered until the page goes */ } },
  system: matchMedia("(prefers-color-scheme: light)"),
  show(name) { document.documentElement.dataset.theme = name; repaint(); },
  follow() { this.show(this.kept() ?? (this.system.matches ? "light" : "dark")); },
  toggle() {
    const name = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    this.keep(name);
    this.show(name);
  },
};

const keys = {
  " ": () => pause(), p: () => showPlayground(!isPlayground()), "/": () => { showPlayground(false); element("filter").focus(); },
  "?": () => element("keys").showModal(), f: () => { if (isPlayground()) nextSender(); }, t: () => { if (isPlayground()) typeWord(); }, 0: () => { if (isPlayground()) sendToAll(); },
};
panes.forEach((pane, index) => { keys[index + 1] = () => { if (isPlayground()) pane.send(); }; });

function escape() {
  if (document.activeElement === element("filter") && element("filter").value) { element("filter").value = ""; filterBy(""); return; }
  if (panel.isOpen) panel.stepBack(); else if (isPlayground()) showPlayground(false); else laneList.focus(laneList.focused);
}

function handleKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || element("keys").open || element("access").open) return;
  if (event.key === "Escape") { event.preventDefault(); escape(); return; }
  const target = event.target, isField = target.closest("input, select");
  if (isField) { if (event.key === "ArrowDown" && target.id === "filter") { event.preventDefault(); laneList.focus(0); } return; }
  if (target.closest("button") && (event.key === " " || event.key === "Enter")) return;
  if (element("tasks").contains(target)) panel.handle(event);
  else if (element("lanes").contains(target)) laneList.handle(event);
  else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && target === document.body && !isPlayground()) { event.preventDefault(); laneList.focus(laneList.focused); }
  else if (event.key === "Enter" && target === document.body && !isPlayground()) laneList.handle(event);
  const act = event.defaultPrevented ? undefined : keys[event.key];
  if (act) { event.preventDefault(); act(); }
}

function connectHands() {
  addEventListener("keydown", handleKey);
  const box = element("canvasbox");
  box.onpointermove = event => showTip(event, boardTaskUnder(event).task);
  box.onpointerleave = hideTip;
  box.onclick = event => {
    const { entry, task } = boardTaskUnder(event);
    if (entry) select(entry);
    if (task) panel.tell(task, task.generation, live);
  };
  element("scroller").onscroll = () => { view.isDirty = true; };
  element("filter").oninput = event => filterBy(event.target.value);
  element("span").onchange = event => { view.span = Number(event.target.value) * 1000; view.isDirty = true; drawTicks(); };
  element("rows").onchange = event => { board.wanted = Number(event.target.value); board.begin(); board.choose(view.now); laneList.refresh(); view.isDirty = true; };
  element("pause").onclick = () => pause();
  element("playbutton").onclick = () => showPlayground(!isPlayground());
  element("emptyplay").onclick = () => showPlayground(true);
  element("theme").onclick = () => theme.toggle();
  element("help").onclick = () => element("keys").showModal();
  element("sender").onchange = () => announceSender();
  element("sendall").onclick = sendToAll;
  element("type").onclick = typeWord;
  element("reset").onclick = () => ask("playground/reset", { method: "POST" }).catch(() => announce("The gateway cannot be reached."));
  element("accessform").onsubmit = event => access.take(event);
  theme.system.addEventListener("change", () => theme.follow());
  const observer = new ResizeObserver(() => { view.isDirty = true; });
  for (const node of [element("scroller"), element("canvasbox"), element("play")]) observer.observe(node);
}
