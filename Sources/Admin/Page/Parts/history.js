// What has happened: turns events into tasks in lanes, and forgets what is old.

/** One admitted request. A time that has not come yet is `never`, so that any moment can be looked back at. */
class Task {
  begin(generation, lane, policy, method, at, epoch) {
    this.generation = generation; this.lane = lane; this.policy = policy; this.method = method; this.epoch = epoch;
    this.admitted = at; this.sent = never; this.left = never; this.told = never; this.ended = never; this.began = never;
    this.why = ""; this.by = null; this.effect = ""; this.outcome = ""; this.phase = "queued";
    this.waiters = 1; this.joins = null; this.leavings = null; this.from = this.joiners = null;
    this.track = -1; this.placed = at; this.due = at + historyMilliseconds; this.known = true;
    this.previous = this.next = this.newer = null;
    return this;
  }

  /** What had become of it by `time`, for its callers. */
  fate(time = never) {
    if (this.left < never && this.left <= time) return this.why;
    if (this.ended < never && this.ended <= time) return this.outcome;
    return this.sent < never && this.sent <= time ? "running" : "queued";
  }
}

/** Whose a key is if nothing is said: the anonymous clients' of the first listener. */
const usualOwner = { connection: 0, listener: 0, namespace: 0 };

/** Whose a key is: one connection's, or all clients' of a listener that share a namespace; the usual ones go without saying. */
function ownerName({ connection, listener, namespace }) {
  if (connection) return ` · connection ${connection}`;
  return (listener ? ` · listener ${listener}` : "") + (namespace ? ` · namespace ${namespace}` : "");
}

/** All tasks of one key that the page remembers, oldest first, and the tracks that they are drawn on. */
class Lane {
  constructor(key, number, id = null, owner = usualOwner) {
    this.key = key; this.number = number; this.id = id;
    this.owner = owner;
    this.name = key === null ? "tasks without a key" : legible(key) + ownerName(owner);
    this.first = this.last = null; this.size = 0;
    this.phases = { queued: 0, running: 0, draining: 0 };
    this.tracks = new Array(tracksPerLane).fill(null); this.tracksUsed = 2; this.fullAt = 0;
    this.policy = ""; this.activity = 0; this.active = 0; this.row = -1; this.shownSince = 0; this.refusals = [];
  }

  append(task) {
    task.previous = this.last;
    if (this.last) this.last.next = task; else this.first = task;
    this.last = task; this.size += 1;
  }

  remove(task) {
    if (task.previous) task.previous.next = task.next; else this.first = task.next;
    if (task.next) task.next.previous = task.previous; else this.last = task.previous;
    if (this.tracks[task.track] === task) this.tracks[task.track] = null;
    task.previous = task.next = null; this.size -= 1;
  }

  /** The lowest free track; if none is, a newer task takes that of the oldest ghost. */
  findTrack(task) {
    let free = this.tracks.indexOf(null);
    if (free < 0) {
      this.tracks.forEach((owner, index) => {
        if (owner.phase === "draining" && (free < 0 || owner.left < this.tracks[free].left)) free = index;
      });
    }
    if (free < 0) return;
    this.tracks[free] = task; task.track = free;
    if (free >= this.tracksUsed) this.tracksUsed = free + 1;
  }

  /** Fewer and so higher tracks, once those at the bottom have not been needed for a while. */
  fit(used, now) {
    if (used >= this.tracksUsed) this.fullAt = now;
    else if (now - this.fullAt > calmMilliseconds) this.tracksUsed = used;
  }

  leaveTrack(task) { if (this.tracks[task.track] === task) this.tracks[task.track] = null; }

  get isQuiet() { return this.phases.queued + this.phases.running + this.phases.draining === 0; }
}

/** How much happened in each tenth of a second in the lanes that are not shown. */
class Density {
  constructor() {
    this.kinds = { delivered: 0, superseded: 1, failed: 2, other: 3, admitted: 4 };
    this.counts = Array.from({ length: 5 }, () => new Uint32Array(bin.count));
    this.numbers = new Float64Array(bin.count);
  }

  add(kind, time, amount = 1) {
    const number = Math.floor(time / bin.milliseconds), place = number % bin.count;
    if (this.numbers[place] > number) return;
    if (this.numbers[place] < number) {
      this.numbers[place] = number;
      for (const counts of this.counts) counts[place] = 0;
    }
    this.counts[this.kinds[kind]][place] += amount;
  }

  at(kind, number) {
    const place = number % bin.count;
    return this.numbers[place] === number ? this.counts[this.kinds[kind]][place] : 0;
  }
}

/** Turns events into tasks in lanes, tolerates that some are missing, and forgets what is old. */
class History {
  constructor() {
    this.tasks = new Map(); this.lanes = new Map(); this.open = new Set(); this.free = [];
    this.keyless = new Lane(null, 0); this.keyless.row = -2;
    this.oldest = this.newest = null;
    this.density = new Density();
    this.seen = { a: 0, j: 0, r: 0, s: 0, p: 0, x: 0, f: 0, c: 0, d: 0, z: 0, unknown: 0 };
    this.epoch = 0; this.laneCount = 0; this.lastGap = -never; this.heard = () => {}; this.marks = new Map();
  }

  /** The frame's origins are what its events refer to. */
  apply(event, start, origins = []) {
    const kind = event[0], at = start + event[1];
    if (!(kind in this.seen)) return;
    this.seen[kind] += 1;
    if (kind === "a") return this.admit(event[2], event[3], event[4], event[5], at, event[6], origins[event[7]]);
    if (kind === "r") return this.refuse(event[2], event[3], event[4], at, event[5], origins[event[6]]);
    const task = this.tasks.get(event[2]);
    if (!task) { this.seen.unknown += 1; return; }
    if (task.outcome === "lost") this.find(task);
    switch (kind) {
    case "j": this.join(task, at, origins[event[3]]); break;
    case "s": this.send(task, at); break;
    case "f": this.follow(task, at, event[3]); break;
    case "x": this.answerWithError(task, at, event[3], event[4], event[5], event[6]); break;
    case "p": task.began = at; break;
    case "c": task.told = at; break;
    case "d": this.end(task, at, event[3] ? "delivered" : "failed"); break;
    case "z": this.end(task, at, ["silent", "late", "stopped"][event[3]] ?? "silent"); break;
    }
    this.heard(kind, task, at, kind === "j" ? task.joiners.at(-1) : task.from);
  }

  /** The same key is another lane for another listener, and for a connection that keeps its keys to itself. */
  laneOf(key, owner) {
    if (key === null || key === undefined) return this.keyless;
    const { connection = 0, listener = 0, namespace = 0 } = owner || usualOwner;
    const id = `${connection},${listener},${namespace}:${key}`;
    let lane = this.lanes.get(id);
    if (!lane) {
      if (this.lanes.size >= limits.lanes) return this.keyless;
      lane = new Lane(key, this.laneCount += 1, id, { connection, listener, namespace });
      this.lanes.set(id, lane);
    }
    return lane;
  }

  admit(generation, key, policy, method, at, owner, from = null) {
    const known = this.tasks.get(generation);
    if (known) { known.admitted = Math.min(known.admitted, at); known.method = String(method ?? ""); known.from ??= from; return known; }
    if (this.tasks.size >= limits.tasks) this.forget();
    const lane = this.laneOf(key, owner);
    const task = (this.free.pop() ?? new Task()).begin(generation, lane, policy, String(method ?? ""), at, this.epoch);
    task.from = from;
    this.tasks.set(generation, task);
    this.open.add(task);
    this.remember(task);
    lane.append(task);
    if (policy === "cancel" || policy === "cancelAndWait") this.giveUpEarlier(task, "live", at);
    lane.phases.queued += 1; lane.activity += 1; lane.active = at; lane.policy = policy;
    lane.findTrack(task);
    if (lane.row < 0) this.density.add("admitted", at);
    this.heard("a", task, at, from);
    return task;
  }

  refuse(key, policy, reason, at, owner, from = null) {
    const lane = this.laneOf(key, owner);
    lane.refusals.push({ at, policy, reason: String(reason), from });
    if (lane.refusals.length > limits.refusals) lane.refusals.shift();
    lane.active = at;
    if (lane.row < 0) this.density.add("failed", at);
    this.heard("r", null, at, from, lane, reason);
  }

  join(task, at, from = null) {
    task.waiters += 1;
    (task.joins ??= []).push(at);
    (task.joiners ??= []).push(from);
    task.lane.activity += 1; task.lane.active = at;
  }

  send(task, at) {
    task.sent = at;
    if (task.policy === "cancelAndWait") this.giveUpEarlier(task, "", at);
    if (task.phase === "queued") this.move(task, "running");
    if (task.track < 0) { task.lane.findTrack(task); task.placed = at; }
  }

  answerWithError(task, at, why, by, effect, code) {
    const said = why;
    if (!ghostly.includes(why)) why = "failed";
    task.waiters -= 1;
    (task.leavings ??= []).push({ at, why });
    const onlyOneCaller = why !== "superseded" && why !== "failed" && task.waiters > 0;
    if (onlyOneCaller || task.left < never) return;
    task.left = at; task.why = why; task.said = said; task.by = by ?? null; task.effect = effect in meaning ? effect : ""; task.code = code;
    if (why === "superseded") task.lane.activity += 1;
    if (task.lane.row < 0) this.density.add(kindOfEnd(why), at);
    if (task.phase === "queued") this.end(task, at, why); else this.move(task, "draining");
  }

  /** A caller of what is superseded waits for the newer task from now on. */
  follow(task, at, newer) {
    const other = this.tasks.get(newer);
    if (other) this.join(other, at, task.from);
    this.answerWithError(task, at, "superseded", newer, "");
  }

  end(task, at, outcome) {
    if (task.phase === "ended") return;
    task.ended = at; task.outcome = outcome;
    if (task.lane.row < 0 && task.left === never) this.density.add(kindOfEnd(outcome), at);
    this.move(task, "ended");
    task.lane.leaveTrack(task);
    this.open.delete(task);
  }

  move(task, phase) {
    const phases = task.lane.phases;
    if (task.phase !== "ended") phases[task.phase] -= 1;
    if (phase !== "ended") phases[phase] += 1;
    task.phase = phase;
  }

  // Where events are missing, the policy tells which tasks cannot be what they seem any more.
  giveUpEarlier(task, only, at) {
    if (task.lane === this.keyless) return;
    let other = task.previous;
    for (let walked = 0; other && walked < giveUp.walkedTasks; walked += 1, other = other.previous) {
      if (other.admitted > this.lastGap || other.phase === "ended") continue;
      if (only === "live" && other.phase === "draining") continue;
      this.end(other, at, "lost");
    }
  }

  /** A task that was given up shows that it lives after all. */
  find(task) {
    task.ended = never; task.outcome = "";
    this.move(task, task.left < never ? "draining" : task.sent < never ? "running" : "queued");
    this.open.add(task);
    task.lane.findTrack(task);
  }

  remember(task) {
    if (this.newest) this.newest.newer = task; else this.oldest = task;
    this.newest = task;
  }

  forgetFirst() {
    const task = this.oldest;
    this.oldest = task.newer;
    if (!this.oldest) this.newest = null;
    task.newer = null;
    return task;
  }

  forget() {
    const task = this.forgetFirst();
    if (task.phase !== "ended") { this.move(task, "ended"); this.open.delete(task); }
    task.lane.remove(task);
    if (this.tasks.get(task.generation) === task) this.tasks.delete(task.generation);
    task.known = false;
    if (this.free.length < 10_000 && !stories.tells(task)) this.free.push(task);
  }

  /** Forgets what has left the longest view, gives up what will not be heard of again. */
  sweep(now, isNothingInFlight) {
    while (this.oldest && this.oldest.due < now) {
      if (this.oldest.phase === "ended" && this.oldest.ended + historyMilliseconds < now) { this.forget(); continue; }
      const task = this.forgetFirst();
      task.due = now + historyMilliseconds / 8;
      this.remember(task);
    }
    for (const task of this.open) {
      const age = now - Math.max(task.admitted, task.left < never ? task.left : 0);
      const isDoubtful = this.lastGap >= task.admitted && age > giveUp.afterMergeMilliseconds;
      if (isDoubtful || age > giveUp.milliseconds || (isNothingInFlight && age > 3_000)) this.end(task, now, "lost");
    }
    for (const [key, lane] of this.lanes) {
      lane.activity *= 0.85;
      if (!lane.first && lane.row < 0 && now - lane.active > historyMilliseconds) this.lanes.delete(key);
    }
  }

  /** The gateway may be another one from here on, which counts its generations anew. */
  breakOff(now) {
    for (const task of this.open) this.end(task, now, "lost");
    this.tasks.clear();
    this.epoch += 1;
  }

  /** What was under way before the page was opened. */
  takeOver(lanes, now) {
    for (const { key, connection, listener, namespace, tasks } of lanes) {
      for (const { generation, state, policy, waiters } of tasks ?? []) {
        if (this.tasks.has(generation)) continue;
        const task = this.admit(generation, key, policy, "", now, { connection, listener, namespace });
        task.lane.activity = 1;
        task.waiters = waiters || 1;
        if (state !== "queued") this.send(task, now);
        if (state === "draining" || state === "orphaned") {
          task.left = now; task.why = "superseded";
          this.move(task, "draining");
        }
      }
    }
  }

  withGeneration(generation, epoch) {
    const task = this.tasks.get(generation);
    return task && task.epoch === epoch ? task : null;
  }

  /** The tasks whose place this one took. */
  victims(task) {
    const found = [];
    for (let other = task.previous; other && found.length < 20; other = other.previous) {
      if (other.by === task.generation && other.epoch === task.epoch) found.push(other);
    }
    return found.reverse();
  }
}

/** Tells the gateway's time: the fastest delivery seen so far sets it, and may be overtaken slowly. */
class GatewayClock {
  constructor() { this.offset = never; }
  observe(gatewayMilliseconds) {
    const offset = performance.now() - gatewayMilliseconds;
    this.offset = Math.min(offset, this.offset + 0.5);
  }
  get isSet() { return this.offset < never; }
  get now() { return performance.now() - this.offset; }
}
