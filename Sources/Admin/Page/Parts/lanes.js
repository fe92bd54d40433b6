// The lanes that have a row, and the list of them beside the canvas.

/** Chooses which lanes have a row. A row keeps its lane until that has gone quiet or another is much busier. */
class Board {
  constructor() { this.rows = []; this.wanted = 0; this.heights = [88, 64, 44, 30]; this.height = 88; this.others = { key: null, row: -2, isOthers: true }; }

  get capacity() {
    const fitting = Math.max(1, Math.floor((element("scroller").clientHeight - 2) / this.height) - 1);
    return this.wanted || fitting;
  }

  get hasOthers() { return live.lanes.size > this.rows.length || live.keyless.first !== null || live.keyless.refusals.length > 0; }

  begin() {
    for (const lane of this.rows) lane.row = -1;
    this.rows = [];
    this.height = this.heights[0];
  }

  candidates() {
    const filter = view.filter, found = [];
    for (const lane of live.lanes.values()) {
      if (lane.row < 0 && (!filter || lane.name.toLowerCase().includes(filter)) && (lane.first || filter)) found.push(lane);
    }
    return found;
  }

  choose(now) {
    const candidates = this.candidates(), empty = this.rows.filter(lane => this.isEmpty(lane));
    this.shrinkRows(candidates.length - empty.length);
    const capacity = this.capacity;
    while (this.rows.length > capacity || (this.rows.length && this.isEmpty(this.rows.at(-1)))) this.rows.pop().row = -1;
    const rows = empty.map(lane => lane.row).filter(row => row >= 0);
    for (let row = this.rows.length; row < capacity; row += 1) rows.push(row);
    if (rows.length && candidates.length) {
      if (candidates.length > rows.length) candidates.sort((a, b) => b.activity - a.activity);
      const chosen = candidates.slice(0, rows.length).sort((a, b) => a.number - b.number);
      chosen.forEach((lane, index) => this.place(lane, rows[index], now));
    } else if (candidates.length) {
      this.replaceIdlest(candidates.reduce((a, b) => (b.activity > a.activity ? b : a)), now);
    }
  }

  // Nothing of it is remembered: its row is the next to be used for another.
  isEmpty(lane) { return !lane.first && !view.filter && !this.isHeld(lane); }
  isHeld(lane) { return lane === view.selected || lane.row === laneList.focusedRow; }

  // Lower rows as soon as they are needed; higher ones would only make everything jump again.
  shrinkRows(more) {
    for (const height of this.heights) {
      if (height > this.height) continue;
      this.height = height;
      if (this.rows.length + more <= this.capacity) break;
    }
  }

  replaceIdlest(candidate, now) {
    const idle = this.rows.filter(lane => !this.isHeld(lane) && now - lane.shownSince > 8_000);
    if (!idle.length) return;
    const idlest = idle.reduce((a, b) => (b.activity < a.activity ? b : a));
    const isOver = idlest.isQuiet && now - idlest.active > view.span;
    if (!isOver && candidate.activity < 5 * idlest.activity + 20) return;
    this.place(candidate, idlest.row, now);
  }

  place(lane, row, now) {
    if (this.rows[row]) this.rows[row].row = -1;
    this.rows[row] = lane; lane.row = row; lane.shownSince = now;
  }
}

const board = new Board();

/** The list beside the canvas: what stands there, and where the keyboard is. */
class LaneList {
  constructor() { this.nodes = []; this.box = element("lanes"); this.focused = 0; }

  get focusedRow() { return this.box.contains(document.activeElement) ? this.focused : -1; }
  get entries() { return board.hasOthers ? [...board.rows, board.others] : board.rows; }

  refresh() {
    const entries = this.entries;
    while (this.nodes.length < entries.length) this.nodes.push(this.makeRow(this.nodes.length));
    while (this.nodes.length > entries.length) this.dropRow();
    entries.forEach((lane, index) => this.fill(this.nodes[index], lane));
    this.rove(Math.min(this.focused, Math.max(0, entries.length - 1)));
    element("scroller").className = board.height < 40 ? "low" : "";
    document.documentElement.style.setProperty("--row", `${board.height}px`);
    element("canvasbox").style.height = `${entries.length * board.height}px`;
    say(element("lanecount"), `${count(live.lanes.size)} ${live.lanes.size === 1 ? "key" : "keys"}, ${count(board.rows.length)} shown`);
  }

  dropRow() {
    const node = this.nodes.pop(), hadFocus = node.row.contains(document.activeElement);
    node.row.remove();
    if (hadFocus && this.nodes.length) this.focus(this.nodes.length - 1);
  }

  makeRow(index) {
    const key = make("bdi", { class: "key" }), badge = make("span", { class: "badge" }), chips = make("span", { class: "chips" });
    const q = make("span", { class: "q" }), r = make("span", { class: "r" }), d = make("span", { class: "d" });
    chips.append(q, r, d);
    const row = make("div", { class: "lane", role: "option", tabindex: "-1", "aria-selected": "false" }, key, badge, chips);
    row.addEventListener("click", () => { this.rove(index); select(this.entries[index]); });
    row.addEventListener("focus", () => this.rove(index));
    this.box.append(row);
    return { row, key, badge, q, r, d };
  }

  fill(node, lane) {
    const { queued, running, draining } = lane.isOthers ? live.keyless.phases : lane.phases;
    const folded = Math.max(0, live.lanes.size - board.rows.length);
    say(node.key, lane.isOthers ? "others" : lane.name);
    node.key.title = lane.isOthers ? "" : legible(lane.key, 600);
    say(node.badge, !lane.isOthers ? lane.policy : folded ? `${count(folded)} keys, and no key` : "without a key");
    for (const [name, mark, value] of [["q", "▯", queued], ["r", "▶", running], ["d", "▨", draining]]) {
      say(node[name], `${mark}${value}`);
      node[name].classList.toggle("none", !value);
    }
    node.row.classList.toggle("others", !!lane.isOthers);
    node.row.classList.toggle("idle", !lane.isOthers && lane.isQuiet);
    setAttribute(node.row, "aria-selected", String(view.selected === lane));
    setAttribute(node.row, "aria-label", lane.isOthers ? `all other lanes: ${folded} keys, and tasks without a key`
      : `${lane.name}, ${lane.policy}: ${queued} queued, ${running} running, ${draining} draining`);
  }

  rove(index) {
    this.focused = index;
    this.nodes.forEach((node, at) => { node.row.tabIndex = at === index ? 0 : -1; });
  }

  focus(index) {
    if (!this.nodes.length) return;
    this.rove(Math.max(0, Math.min(index, this.nodes.length - 1)));
    this.nodes[this.focused].row.focus();
  }

  handle(event) {
    const step = { ArrowDown: 1, ArrowUp: -1, Home: -never, End: never, PageDown: 10, PageUp: -10 }[event.key];
    if (step !== undefined) this.focus(Math.max(0, Math.min(this.focused + step, this.nodes.length - 1)));
    else if (event.key === "Enter" || event.key === "ArrowRight") { select(this.entries[this.focused]); panel.focusFirst(); }
    else return;
    event.preventDefault();
  }
}

const laneList = new LaneList();

function select(entry) {
  if (!entry) return;
  view.selected = entry;
  panel.list(entry.isOthers ? live.keyless : entry);
  laneList.refresh();
}
