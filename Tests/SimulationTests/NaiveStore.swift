import TaskStore

/// Decides what the store decides, in the plainest way: one list of tasks, filtered anew at every event.
struct NaiveStore {
  enum State: UInt64, Hashable { case queued, running, draining, orphaned }

  struct Waiter: Hashable {
    var number: Int
    var dueMilliseconds: UInt64
    /// The task that it came to first: its deadline's place among others of the same time.
    var rank: Int
    var follows: Bool
  }

  /// A task, or a request that becomes one, by which others are superseded.
  struct Newer {
    var number: Int
    var kind: Int32
    var isNotification = false
    var hasGivenPiece = false
    /// So many callers of others it takes.
    var room: Int
    var followers: [Waiter] = []

    /// What becomes of a caller of a task that is superseded.
    mutating func line(for waiter: Waiter, of task: Task, now: UInt64) -> Line {
      let left = Line.superseded(waiter.number, by: number)
      guard waiter.follows, task.kind == kind, !task.givesNoCaller, !isNotification, !hasGivenPiece else {
        return left
      }
      // Its timer has not had its turn.
      guard waiter.dueMilliseconds > now else { return .expired(waiter.number, taskGoesOn: false) }
      guard followers.count < room else { return left }
      followers.append(waiter)
      return .follows(waiter.number, number)
    }
  }

  struct Task: Hashable {
    var request: Request
    var state = State.queued
    var waiters: [Waiter] = []
    /// When a draining task's grace is over, or an orphan is forgotten.
    var dueMilliseconds: UInt64 = 0
    /// Until when a debounced task stays queued, and when its burst began.
    var debouncedUntilMilliseconds: UInt64?
    var burstMilliseconds: UInt64 = 0

    var number: Int { request.number }
    var isOfBurst: Bool { request.key != nil && request.debounceMilliseconds > 0 }
    /// It spared a running task and lets that end first.
    var hasSpared = false
    /// It succeeded too late and is being undone.
    var isCompensating = false
    /// Of what kind its answer is; 0: nobody knows.
    var kind: Int32 = 0
    var hasGivenPiece = false
    /// So it has since its kind is known: nobody goes from it to another, or comes.
    var givesNoCaller = false

    var isLive: Bool { state == .queued || state == .running }
    var waitsForEarlier: Bool {
      switch request.effectivePolicy {
      case .cancelAndWait, .wait, .preferPrevious, .keepLatest: true
      case .cancel, .concurrent, .onAnswer: false
      }
    }
    /// Nobody may go ahead before it is known whether it has to be undone.
    var owesCompensation: Bool { state == .draining && request.isCompensated && !request.isNotification }
  }

  let limits: StoreLimits
  /// Oldest first; a task that has ended is not in it.
  var tasks: [Task] = []
  var nowMilliseconds: UInt64 = 0
  /// By key: when its lane first superseded a task after it last delivered an answer.
  var staleSinceMilliseconds: [Int: UInt64] = [:]

  init(limits: StoreLimits) { self.limits = limits }

  func lane(_ key: Int?) -> [Task] { key == nil ? [] : tasks.filter { $0.request.key == key } }
  var waiterCount: Int {
    var count = 0
    for task in tasks { count += task.waiters.count }
    return count
  }
  func task(_ number: Int) -> Task? {
    for task in tasks where task.number == number { return task }
    return nil
  }
  func task(ofWaiter number: Int) -> Task? { tasks.first { $0.waiters.contains { $0.number == number } } }

  // MARK: Admission

  mutating func submit(_ request: Request) -> [Line] {
    let newest = lane(request.key).last { $0.isLive && !$0.request.isNotification }
    if let newest, request.mayJoin { return join(request, newest) }
    if newest != nil && request.policy == .preferPrevious { return [.busy] }
    let victims = victims(of: request)
    let burst = victims.last { $0.state == .queued && $0.isOfBurst }?.burstMilliseconds
    var after = self
    var newer = Newer(
      number: request.number, kind: request.kind, isNotification: request.isNotification,
      room: limits.callersPerTask - 1)
    let lines = after.supersede(victims, by: &newer)
    let hasSpared = spared(by: request) != nil
    if let bound = after.boundExceeded(by: request, burst, hasSpared, newer.followers) {
      return [.overloaded(bound)] + retirement(of: request.key)
    }
    self = after
    admit(request, burst, hasSpared, newer.followers)
    return lines + settle(request.key)
  }

  private mutating func join(_ request: Request, _ task: Task) -> [Line] {
    var after = self
    let waiter = waiter(request, of: task.number)
    let older = victims(of: request).filter { $0.number < task.number }
    after.change(task.number) {
      if $0.kind == 0 { $0.kind = request.kind }
      $0.waiters.append(waiter)
    }
    let lines = after.supersede(older, by: task.number)
    guard after.waiterCount <= limits.waiters else { return [.overloaded(.waiters)] }
    guard task.waiters.count < limits.callersPerTask else { return [.overloaded(.callers)] }
    guard liveCount(in: request.key, without: older) < limits.tasksPerLane else {
      return [.overloaded(.lane)]
    }
    self = after
    return [.joined(task.number)] + lines + settle(request.key)
  }

  private func victims(of request: Request) -> [Task] {
    switch request.effectivePolicy {
    case .cancel, .cancelAndWait:
      lane(request.key).filter { $0.isLive && $0.number != spared(by: request) }
    case .keepLatest: lane(request.key).filter { $0.state == .queued && $0.request.policy == .keepLatest }
    case .wait, .concurrent, .preferPrevious, .onAnswer: []
    }
  }

  private func spared(by request: Request) -> Int? {
    guard request.maxStaleMilliseconds > 0, [.cancel, .cancelAndWait].contains(request.effectivePolicy),
      let key = request.key, let since = staleSinceMilliseconds[key],
      nowMilliseconds >= since + UInt64(request.maxStaleMilliseconds)
    else { return nil }
    return lane(key).last { $0.state == .running && !$0.request.isNotification }?.number
  }

  private func boundExceeded(
    by request: Request, _ burst: UInt64?, _ hasSpared: Bool, _ followers: [Waiter]
  ) -> StoreLimits.Bound? {
    // One more is at most one more of each.
    let mayExceed =
      tasks.count >= limits.tasks || waiterCount + followers.count >= limits.waiters
      || tasks.count >= limits.queuePerLane || tasks.count + waiterCount >= limits.tasksPerLane
    guard mayExceed else { return nil }
    // What it supersedes has gone by now, and who follows comes later.
    let live = liveCount(in: request.key)
    var after = self
    after.admit(request, burst, hasSpared, followers)
    _ = after.settle(request.key)
    if after.tasks.count > limits.tasks { return .tasks }
    if after.waiterCount > limits.waiters { return .waiters }
    if live >= limits.tasksPerLane { return .lane }
    let isQueued = after.tasks.last?.state == .queued
    let queued = after.lane(request.key).count { $0.state == .queued }
    return isQueued && queued > limits.queuePerLane ? .queue : nil
  }

  /// Live tasks of a key, each as often as it has callers, but for those that leave.
  private func liveCount(in key: Int?, without leaving: [Task] = []) -> Int {
    var count = 0
    for task in lane(key) where task.isLive { count += max(1, task.waiters.count) }
    for task in leaving { count -= max(1, task.waiters.count) }
    return count
  }

  private mutating func admit(
    _ request: Request, _ burst: UInt64?, _ hasSpared: Bool, _ followers: [Waiter]
  ) {
    var task = Task(request: request)
    if !request.isNotification { task.waiters = [waiter(request, of: request.number)] + followers }
    if request.key != nil { task.kind = request.kind }
    task.hasSpared = hasSpared
    task.burstMilliseconds = burst ?? nowMilliseconds
    var due = nowMilliseconds + UInt64(request.debounceMilliseconds)
    if request.maxWaitMilliseconds > 0 {
      due = min(due, task.burstMilliseconds + UInt64(request.maxWaitMilliseconds))
    }
    // A task in no lane starts at once.
    if due > nowMilliseconds && request.key != nil { task.debouncedUntilMilliseconds = due }
    tasks.append(task)
  }

  private func waiter(_ request: Request, of task: Int) -> Waiter {
    Waiter(
      number: request.number, dueMilliseconds: nowMilliseconds + UInt64(request.timeoutMilliseconds),
      rank: task, follows: request.follows)
  }

  // MARK: Endings

  mutating func finished(_ number: Int, isError: Bool) -> [Line] {
    let task = task(number)!
    var lines: [Line] = []
    if task.owesCompensation && !task.isCompensating && !isError { return compensate(number) }
    if task.request.policy == .onAnswer && task.isLive && !isError && !task.request.isNotification {
      lines += supersede(lane(task.request.key).filter { $0.isLive && $0.number < number }, by: number)
    }
    lines += task.isLive ? self.task(number)!.waiters.map { .deliver($0.number) } : [.drop(number)]
    if let key = task.request.key, task.isLive && !task.request.isNotification {
      staleSinceMilliseconds[key] = nil
    }
    tasks.removeAll { $0.number == number }
    return lines + settle(task.request.key)
  }

  /// Some of its answer came.
  mutating func piece(_ number: Int) -> [Line] {
    let task = task(number)!
    var lines: [Line] = []
    if task.request.policy == .onAnswer && !task.hasGivenPiece {
      lines = supersede(lane(task.request.key).filter { $0.isLive && $0.number < number }, by: number)
    }
    change(number) {
      $0.hasGivenPiece = true
      if $0.kind != 0 { $0.givesNoCaller = true }
    }
    if let key = task.request.key { staleSinceMilliseconds[key] = nil }
    return lines + settle(task.request.key)
  }

  private mutating func compensate(_ number: Int) -> [Line] {
    let due = nowMilliseconds + limits.compensationMilliseconds
    change(number) {
      $0.isCompensating = true
      $0.dueMilliseconds = due
    }
    return [.compensate(number)]
  }

  mutating func failed(_ number: Int) -> [Line] {
    let task = task(number)!
    tasks.removeAll { $0.number == number }
    return task.waiters.map { .unavailable($0.number) } + [.drop(number)] + settle(task.request.key)
  }

  mutating func cancelled(_ caller: Int) -> [Line] {
    [.cancelled(caller, taskGoesOn: task(ofWaiter: caller)!.waiters.count > 1)] + leave(caller)
  }

  mutating func cancelledTogether(_ callers: [Int]) -> [Line] {
    let left = callers.map { task(ofWaiter: $0)!.number }
    for caller in callers {
      change(task(ofWaiter: caller)!.number) { $0.waiters.removeAll { $0.number == caller } }
    }
    var lines = zip(callers, left).map {
      Line.cancelled($0, taskGoesOn: !task($1)!.waiters.isEmpty)
    }
    let keys = Set(left.compactMap { task($0)!.request.key }).sorted()
    for number in left where task(number).map({ $0.isLive && $0.waiters.isEmpty }) ?? false {
      lines += abandon(number)
    }
    for key in keys { lines += start(key) }
    for key in keys { lines += retirement(of: key) }
    return lines
  }

  mutating func cancelledLane(_ key: Int) -> [Line] {
    let victims = lane(key).filter { $0.isLive }
    let replies = victims.flatMap { $0.waiters.map { Line.cancelled($0.number, taskGoesOn: false) } }
    return replies + victims.flatMap { abandon($0.number) } + settle(key)
  }

  mutating func disconnected(_ caller: Int) -> [Line] { leave(caller) }

  private mutating func leave(_ caller: Int) -> [Line] {
    let task = task(ofWaiter: caller)!
    change(task.number) { $0.waiters.removeAll { $0.number == caller } }
    return task.waiters.count > 1 ? [] : abandon(task.number) + settle(task.request.key)
  }

  /// A task that is there supersedes others; those who follow come to it.
  private mutating func supersede(_ victims: [Task], by number: Int) -> [Line] {
    let task = task(number)!
    var newer = Newer(
      number: number, kind: task.kind, isNotification: task.request.isNotification,
      hasGivenPiece: task.givesNoCaller, room: limits.callersPerTask - task.waiters.count)
    let lines = supersede(victims, by: &newer)
    change(number) { $0.waiters += newer.followers }
    return lines
  }

  private mutating func supersede(_ victims: [Task], by newer: inout Newer) -> [Line] {
    if let key = victims.first?.request.key, staleSinceMilliseconds[key] == nil {
      staleSinceMilliseconds[key] = nowMilliseconds
    }
    var replies: [Line] = []
    for victim in victims {
      for waiter in victim.waiters {
        replies.append(newer.line(for: waiter, of: victim, now: nowMilliseconds))
      }
    }
    return replies + victims.flatMap { abandon($0.number) }
  }

  private mutating func abandon(_ number: Int) -> [Line] {
    let task = task(number)!
    guard task.state == .running && !task.request.endsOnCancel else {
      tasks.removeAll { $0.number == number }
      return task.state == .running ? [.cancel(number), .drop(number)] : [.drop(number)]
    }
    let isCompensated = task.request.isCompensated && !task.request.isNotification
    let due =
      nowMilliseconds + UInt64(task.request.drainMilliseconds)
      + (isCompensated ? limits.orphanMilliseconds : 0)
    change(number) {
      $0.waiters = []
      $0.debouncedUntilMilliseconds = nil
      $0.state = .draining
      $0.dueMilliseconds = due
    }
    return [.cancel(number)]
  }

  // MARK: Starting

  private mutating func settle(_ key: Int?) -> [Line] {
    let starts = start(key)
    return starts + retirement(of: key)
  }

  private mutating func start(_ key: Int?) -> [Line] {
    var lines: [Line] = []
    for number in tasks.map(\.number) {
      guard let task = task(number), task.request.key == key, task.state == .queued, mayStart(task) else {
        continue
      }
      change(number) { $0.state = .running }
      lines.append(.start(number))
    }
    return lines
  }

  private func mayStart(_ task: Task) -> Bool {
    guard task.debouncedUntilMilliseconds == nil else { return false }
    guard let key = task.request.key else { return true }
    var (unsettled, running) = (0, 0)
    for other in tasks where other.request.key == key {
      if !other.isLive { unsettled += 1 }
      guard other.number < task.number else { continue }
      if task.hasSpared && other.isLive { return false }
      if task.waitsForEarlier && other.state == .queued { return false }
      if other.state != .orphaned { running += 1 }
    }
    if task.waitsForEarlier && running >= task.request.runningBound { return false }
    return unsettled < limits.orphansPerLane
  }

  private mutating func retirement(of key: Int?) -> [Line] {
    guard let key, !tasks.contains(where: { $0.request.key == key }) else { return [] }
    staleSinceMilliseconds[key] = nil
    return [.retire(key)]
  }

  private mutating func change(_ number: Int, _ body: (inout Task) -> Void) {
    body(&tasks[tasks.firstIndex { $0.number == number }!])
  }

  // MARK: Time

  private struct Timer {
    var dueMilliseconds: UInt64
    /// Deadline before grace before debounce before forgetting.
    var purpose: Int
    var task: Int
    /// The caller, for a deadline; those of one task are in the order in which they came.
    var caller = 0

    init(_ dueMilliseconds: UInt64, _ purpose: Int, _ task: Int, caller: Int = 0) {
      self.dueMilliseconds = dueMilliseconds
      self.purpose = purpose
      self.task = task
      self.caller = caller
    }

    static func first(of a: Timer?, _ b: Timer) -> Timer {
      guard let a else { return b }
      if a.dueMilliseconds != b.dueMilliseconds { return a.dueMilliseconds < b.dueMilliseconds ? a : b }
      if a.purpose != b.purpose { return a.purpose < b.purpose ? a : b }
      if a.task != b.task { return a.task < b.task ? a : b }
      return a.caller < b.caller ? a : b
    }
  }

  // Asked after every step of millions: plain loops, as debug builds take ten times as long for anything else.
  private var nextTimer: Timer? {
    var first: Timer?
    for task in tasks {
      guard task.isLive else {
        let purpose = task.state == .draining && !task.owesCompensation ? 1 : 3
        first = .first(of: first, Timer(task.dueMilliseconds, purpose, task.number))
        continue
      }
      for waiter in task.waiters {
        first = .first(of: first, Timer(waiter.dueMilliseconds, 0, waiter.rank, caller: waiter.number))
      }
      if let debouncedUntil = task.debouncedUntilMilliseconds {
        first = .first(of: first, Timer(debouncedUntil, 2, task.number))
      }
    }
    return first
  }

  var nextDueMilliseconds: UInt64? { nextTimer?.dueMilliseconds }

  /// Fires the first timer that is due; nil when none is.
  mutating func fireTimer() -> [Line]? {
    guard let timer = nextTimer, timer.dueMilliseconds <= nowMilliseconds else { return nil }
    if timer.purpose == 0 {
      let task = task(ofWaiter: timer.caller)!
      return [.expired(timer.caller, taskGoesOn: task.waiters.count > 1)] + leave(timer.caller)
    }
    let task = task(timer.task)!
    if timer.purpose == 2 {
      change(timer.task) { $0.debouncedUntilMilliseconds = nil }
      return settle(task.request.key)
    }
    return graceIsOver(task)
  }

  /// What is no longer wanted is an orphan now, or forgotten.
  private mutating func graceIsOver(_ task: Task) -> [Line] {
    if task.state == .draining, !task.owesCompensation {
      let due = nowMilliseconds + limits.orphanMilliseconds
      change(task.number) {
        $0.state = .orphaned
        $0.dueMilliseconds = due
      }
      return settle(task.request.key)
    }
    tasks.removeAll { $0.number == task.number }
    return [.drop(task.number)] + settle(task.request.key)
  }

  /// Its connection is gone: its grace is at most so long, from when it began to drain on.
  mutating func leftBehind(_ number: Int, drainMilliseconds: UInt32) -> [Line] {
    let task = task(number)!
    guard drainMilliseconds < task.request.drainMilliseconds else { return [] }
    let excess = UInt64(task.request.drainMilliseconds - drainMilliseconds)
    let now = nowMilliseconds
    let isInGrace = task.state == .draining && !task.isCompensating
    change(number) {
      $0.request.drainMilliseconds = drainMilliseconds
      if isInGrace { $0.dueMilliseconds = max(now + excess, $0.dueMilliseconds) - excess }
    }
    return isInGrace && self.task(number)!.dueMilliseconds == now ? graceIsOver(task) : []
  }
}
