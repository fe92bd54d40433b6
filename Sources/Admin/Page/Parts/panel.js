// The panel at the side.

/** The panel at the side: the tasks of a lane, or the story of one of them. */
class Panel {
  constructor() {
    this.lane = null; this.rows = []; this.focused = 0; this.opener = null;
    this.box = element("tasks"); this.page = element("story");
    element("close").onclick = () => this.close();
    element("back").onclick = () => this.showTasks(true);
    element("newest").onclick = () => { this.list(this.lane); this.focus(0); };
  }

  get isOpen() { return !element("panel").hidden; }
  get isStory() { return this.isOpen && !this.page.hidden; }

  list(lane) {
    this.lane = lane;
    const tasks = [];
    for (let task = lane.last; task && tasks.length < limits.listedTasks; task = task.previous) {
      if (!view.isPaused || task.admitted <= view.now) tasks.push(task);
    }
    this.rows = tasks.map((task, index) => this.makeRow(task, index));
    this.box.replaceChildren(...this.rows.map(row => row.node));
    if (!tasks.length) this.box.replaceChildren(make("p", { class: "task muted" }, "None that the page remembers."));
    this.rove(0);
    this.showTasks(false);
  }

  makeRow(task, index) {
    const fate = make("span", { class: "fate" }), what = make("bdi", { class: "what muted" });
    const node = make("div", { class: "task", role: "option", tabindex: "-1" }, make("span", { class: "mono" }, `#${task.generation}`), what, fate);
    node.onclick = () => { this.rove(index); this.tell(task, task.generation); };
    const row = { node, what, fate, task, generation: task.generation };
    this.fill(row);
    return row;
  }

  fill(row) {
    const { task } = row;
    if (task.generation !== row.generation) return;
    const fate = task.fate(view.isPaused ? view.now : never);
    if (row.shown === fate && fate !== "running" && fate !== "queued") return;
    row.shown = fate;
    row.fate.className = `fate fate-${fate}`;
    row.fate.dataset.mark = fates[fate].mark;
    say(row.fate, fate);
    const end = Math.min(task.left, task.ended);
    const { mark = "", label = "", short = "" } = task.from ?? {};
    say(row.what, `${end < never ? `${duration(end - task.admitted)} · ` : ""}${legible(task.method || "?", 60)}${label ? ` · ${mark}${label}` : ""}`);
    setAttribute(row.what, "title", short);
    setAttribute(row.node, "aria-label", `generation ${task.generation}, ${task.method}, ${task.policy}: ${fates[fate].says}${short ? `; from ${short}` : ""}`);
  }

  refresh() {
    if (!this.isOpen) return;
    if (this.isStory) return this.refreshStory();
    const isInUse = this.box.contains(document.activeElement) || this.box.matches(":hover");
    if (!isInUse && !view.isPaused && this.lane?.last && this.rows[0]?.generation !== this.lane.last.generation) this.list(this.lane);
    else for (const row of this.rows) this.fill(row);
  }

  showTasks(isFocusWanted) {
    if (!this.lane) return this.close();
    stories.told = null;
    element("panel").hidden = false;
    this.page.hidden = true; this.box.hidden = false;
    element("back").hidden = true; element("newest").hidden = false;
    say(element("paneltitle"), this.lane.name);
    if (isFocusWanted) this.focus(this.focused);
  }

  rove(index) {
    this.focused = index;
    this.rows.forEach((row, at) => { row.node.tabIndex = at === index ? 0 : -1; });
  }

  focus(index) {
    if (!this.rows.length) return;
    this.rove(Math.max(0, Math.min(index, this.rows.length - 1)));
    this.rows[this.focused].node.focus();
  }

  focusFirst() { if (this.rows.length) this.focus(0); else element("close").focus(); }

  handle(event) {
    const step = { ArrowDown: 1, ArrowUp: -1, Home: -never, End: never, PageDown: 10, PageUp: -10 }[event.key];
    const row = this.rows[this.focused];
    if (step !== undefined) this.focus(Math.max(0, Math.min(this.focused + step, this.rows.length - 1)));
    else if (event.key === "Enter" && row) this.tell(row.task, row.generation);
    else if (event.key === "ArrowLeft") this.close();
    else return;
    event.preventDefault();
  }

  tell(task, generation = task.generation, history = historyOf(task)) {
    if (task.generation !== generation) { announce("That task has been forgotten by now."); return; }
    if (this.lane !== task.lane) this.list(task.lane);
    stories.told = task;
    this.history = history;
    element("panel").hidden = false;
    this.page.hidden = false; this.box.hidden = true;
    element("back").hidden = false; element("newest").hidden = true;
    say(element("paneltitle"), `Generation ${task.generation}`);
    this.signature = "";
    this.refreshStory();
    this.page.focus();
  }

  refreshStory() {
    const task = stories.told;
    if (!task) return;
    const signature = [task.fate(), task.sent, task.left, task.told, task.ended, task.waiters].join();
    if (signature === this.signature) return;
    this.signature = signature;
    const isLinkFocused = this.page.contains(document.activeElement) && document.activeElement !== this.page;
    this.page.replaceChildren(...tellStory(task, this.history));
    if (isLinkFocused) this.page.focus();
  }

  close() {
    element("panel").hidden = true;
    stories.told = null;
    if (view.selected) laneList.focus(Math.max(0, laneList.entries.indexOf(view.selected)));
    view.selected = this.lane = null;
    laneList.refresh();
  }

  stepBack() { if (this.isStory) this.showTasks(true); else this.close(); }
}

const historyOf = task => (play.tasks.get(task.generation) === task || play.lanes.get(task.lane.id) === task.lane ? play : live);
function announce(text) { say(element("said"), text); }
