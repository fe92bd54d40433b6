import TaskStore

/// Watches one history for what must never happen, knowing nothing but its events and their effects.
struct Referee {
  private struct Entry {
    var request: Request
    var hasStarted = false
    var cancelledAtMilliseconds: UInt64?
    var isSuperseded = false
    var isCompensating = false
    var hasGivenPiece = false
    var hasEnded = false

    var isLive: Bool { cancelledAtMilliseconds == nil && !isCompensating && !hasEnded }
    var isUnsettled: Bool { cancelledAtMilliseconds != nil && !hasEnded }
    func holdsUpOthers(at milliseconds: UInt64) -> Bool {
      guard let cancelled = cancelledAtMilliseconds, !request.isCompensated || request.isNotification else {
        return !hasEnded
      }
      return !hasEnded && milliseconds < cancelled + UInt64(request.drainMilliseconds)
    }
  }

  private let limits: StoreLimits
  /// Tasks that have not ended, oldest first.
  private var entries: [Entry] = []
  /// Callers that are still owed a reply, and their tasks.
  private var taskOfCaller: [Int: Int] = [:]
  private var complaints: [String] = []
  private var nowMilliseconds: UInt64 = 0

  init(limits: StoreLimits) { self.limits = limits }

  var nothingIsInFlight: Bool { entries.isEmpty }

  /// Judges what followed from an event (nil: a timer); what is wrong, if anything.
  mutating func judge(_ event: Event?, at milliseconds: UInt64, _ lines: [Line]) -> [String] {
    complaints = []
    nowMilliseconds = milliseconds
    if let event { note(event, lines) }
    var rank = 0
    for line in lines {
      check(line)
      expect(rank <= line.rank, "effects out of order")
      rank = line.rank
    }
    entries.removeAll { $0.hasEnded }
    checkBounds()
    return complaints
  }

  private mutating func expect(_ condition: Bool, _ complaint: @autoclosure () -> String) {
    if !condition { complaints.append(complaint()) }
  }

  // MARK: Events

  private mutating func note(_ event: Event, _ lines: [Line]) {
    switch event {
    case .submit(let request): noteSubmission(request, lines.first)
    case .finished(let task, let isError): noteFinished(task, isError: isError)
    case .failed(let task): change(task) { $0.hasEnded = true }
    case .disconnected(let caller): taskOfCaller[caller] = nil
    case .leftBehind(let task, let drain):
      change(task) { $0.request.drainMilliseconds = min($0.request.drainMilliseconds, drain) }
    case .piece(let task): notePiece(task)
    case .cancelled, .cancelledTogether, .cancelledLane, .timePasses: break
    }
  }

  private mutating func noteSubmission(_ request: Request, _ door: Line?) {
    switch door {
    case .busy, .overloaded: return
    case .joined(let task):
      expect(entries.contains { $0.request.number == task }, "\(request.number) joined what has ended")
      let live = liveCount(joining: task, request)
      expect(live < limits.tasksPerLane, "invariant 9: \(request.number) joined where \(live) are live")
      taskOfCaller[request.number] = task
      supersede(for: request) { $0.request.number < task }
      return
    default: break
    }
    supersede(for: request) { _ in true }
    entries.append(Entry(request: request))
    if !request.isNotification { taskOfCaller[request.number] = request.number }
  }

  /// Live tasks of a request's key, each as often as it has callers, but for those that it may supersede as it joins one.
  private func liveCount(joining task: Int, _ request: Request) -> Int {
    let live = entries.filter { entry in
      let mayLeave = entry.request.number < task && isSuperseded(entry, by: request)
      return entry.isLive && entry.request.key == request.key && !mayLeave
    }
    return live.reduce(0) { count, entry in
      count + max(1, taskOfCaller.values.count { $0 == entry.request.number })
    }
  }

  private mutating func supersede(for request: Request, where isVictim: (Entry) -> Bool) {
    let spareable = request.maxStaleMilliseconds > 0 ? newestRunning(in: request.key) : nil
    for index in entries.indices
    where entries[index].request.number != spareable
      && isVictim(entries[index]) && isSuperseded(entries[index], by: request)
    {
      entries[index].isSuperseded = true
    }
  }

  private func newestRunning(in key: Int?) -> Int? {
    entries.last {
      $0.request.key == key && $0.hasStarted && !$0.hasEnded && $0.cancelledAtMilliseconds == nil
        && !$0.request.isNotification
    }?.request.number
  }

  private func isSuperseded(_ entry: Entry, by request: Request) -> Bool {
    guard request.key != nil, entry.request.key == request.key else { return false }
    switch request.effectivePolicy {
    case .cancel, .cancelAndWait: return true
    case .keepLatest: return entry.request.policy == .keepLatest && !entry.hasStarted
    case .wait, .concurrent, .preferPrevious, .onAnswer: return false
    }
  }

  private mutating func noteFinished(_ task: Int, isError: Bool) {
    guard let entry = entries.first(where: { $0.request.number == task }) else { return }
    let request = entry.request
    let hasResult = !isError && !request.isNotification && entry.cancelledAtMilliseconds == nil
    if request.policy == .onAnswer && hasResult && request.key != nil {
      for index in entries.indices where entries[index].request.key == request.key {
        if entries[index].request.number < task { entries[index].isSuperseded = true }
      }
    }
    change(task) { $0.hasEnded = true }
  }

  private mutating func notePiece(_ task: Int) {
    guard let entry = entries.first(where: { $0.request.number == task }) else { return }
    if entry.request.policy == .onAnswer && !entry.hasGivenPiece && entry.request.key != nil {
      for index in entries.indices where entries[index].request.key == entry.request.key {
        if entries[index].request.number < task { entries[index].isSuperseded = true }
      }
    }
    change(task) { $0.hasGivenPiece = true }
  }

  // MARK: Effects

  private mutating func check(_ line: Line) {
    switch line {
    case .superseded, .cancelled, .expired, .unavailable, .deliver: checkReply(line)
    case .follows(let caller, let task): checkFollower(caller, task)
    case .cancel(let task): checkCancel(task)
    case .drop(let task): change(task) { $0.hasEnded = true }
    case .compensate(let task): checkCompensation(task)
    case .start(let task): checkStart(task)
    case .retire(let key):
      expect(!entries.contains { $0.request.key == key && !$0.hasEnded }, "key \(key) retired too early")
    case .absurd(let complaint): complaints.append(complaint)
    case .busy, .overloaded, .joined: break
    }
  }

  private mutating func checkReply(_ line: Line) {
    guard let caller = line.answered else { return }
    guard let task = taskOfCaller.removeValue(forKey: caller) else {
      complaints.append("invariant 1: \(caller) is owed no reply")
      return
    }
    guard case .deliver = line else { return }
    let isSuperseded = entries.contains { $0.request.number == task && $0.isSuperseded }
    expect(!isSuperseded, "invariant 2: superseded task \(task) was delivered to \(caller)")
  }

  /// Only who waits for a superseded task follows, and only to one that is wanted, newer, and has just come or answered.
  private mutating func checkFollower(_ caller: Int, _ task: Int) {
    guard let own = entries.first(where: { $0.request.number == taskOfCaller[caller] }),
      let newer = entries.first(where: { $0.request.number == task })
    else {
      complaints.append("\(caller) follows, or is followed, and is not there")
      return
    }
    // What may be spared, and is not, is not noted as superseded.
    let mayBeSpared = newer.request.maxStaleMilliseconds > 0
    expect(
      (own.isSuperseded || mayBeSpared) && !newer.isSuperseded,
      "\(caller) follows from what is not superseded, or to it")
    expect(
      own.request.number < task && own.request.key == newer.request.key, "\(caller) follows to another lane")
    expect(!newer.request.isNotification, "\(caller) waits for a notification's answer")
    expect(!own.hasGivenPiece || own.request.kind == 0, "\(caller) has got a piece, and follows")
    taskOfCaller[caller] = task
  }

  private mutating func checkCancel(_ task: Int) {
    let now = nowMilliseconds
    guard let entry = entries.first(where: { $0.request.number == task }) else {
      complaints.append("invariant 5: \(task) cancelled after its end")
      return
    }
    expect(entry.hasStarted, "invariant 5: \(task) cancelled before its start")
    expect(entry.cancelledAtMilliseconds == nil, "invariant 5: \(task) cancelled twice")
    expect(!taskOfCaller.values.contains(task), "\(task) cancelled although somebody waits for it")
    change(task) { $0.cancelledAtMilliseconds = now }
  }

  private mutating func checkCompensation(_ task: Int) {
    guard let entry = entries.first(where: { $0.request.number == task }) else {
      complaints.append("\(task) undone after its end")
      return
    }
    expect(entry.request.isCompensated, "\(task) undone without being asked")
    expect(entry.cancelledAtMilliseconds != nil, "\(task) undone though somebody wants it")
    expect(!entry.isCompensating, "\(task) undone twice")
    change(task) {
      $0.isCompensating = true
      // Its answer was not its end.
      $0.hasEnded = false
    }
  }

  private mutating func checkStart(_ task: Int) {
    guard let index = entries.firstIndex(where: { $0.request.number == task }) else {
      complaints.append("invariant 4: \(task) started after its end")
      return
    }
    let entry = entries[index]
    expect(!entry.hasStarted, "\(task) started twice")
    expect(!entry.isSuperseded && !entry.hasEnded, "invariant 4: \(task) started though it was superseded")
    expect(
      entry.request.isNotification || taskOfCaller.values.contains(task),
      "invariant 4: \(task) started though nobody waits for it")
    entries[index].hasStarted = true
    if entry.request.key != nil { checkTurn(entry, at: index) }
  }

  private mutating func checkTurn(_ entry: Entry, at index: Int) {
    let lane = entries.filter { $0.request.key == entry.request.key }
    let unsettled = lane.count { $0.isUnsettled }
    expect(unsettled < limits.orphansPerLane, "invariant 9: started beside \(unsettled) that drain")
    guard [.wait, .cancelAndWait, .keepLatest, .preferPrevious].contains(entry.request.effectivePolicy)
    else { return }
    let earlier = entries[..<index].filter {
      $0.request.key == entry.request.key && $0.holdsUpOthers(at: nowMilliseconds)
    }
    let isInTurn = earlier.count < entry.request.runningBound && earlier.allSatisfy(\.hasStarted)
    if let obstacle = earlier.first, !isInTurn {
      let (task, earlier) = (entry.request.number, obstacle.request.number)
      complaints.append("invariant 3: \(task) started before \(earlier) ended")
    }
  }

  // MARK: State

  private mutating func checkBounds() {
    for (caller, task) in taskOfCaller where !entries.contains(where: { $0.request.number == task }) {
      complaints.append("invariant 1: \(caller) got no reply")
    }
    expect(entries.count <= limits.tasks, "invariant 9: too many tasks")
    expect(taskOfCaller.count <= limits.waiters, "invariant 9: too many callers")
    for entry in entries where !entry.hasStarted {
      guard let key = entry.request.key else { continue }
      let queued = entries.count { $0.request.key == key && !$0.hasStarted }
      expect(queued <= limits.queuePerLane, "invariant 9: \(queued) queued for key \(key)")
    }
    let liveByKey = Dictionary(grouping: entries.filter(\.isLive)) { $0.request.key }
    for (key, live) in liveByKey where key != nil {
      expect(live.count <= limits.tasksPerLane, "invariant 9: \(live.count) live tasks of a key")
    }
  }

  private mutating func change(_ task: Int, _ body: (inout Entry) -> Void) {
    guard let index = entries.firstIndex(where: { $0.request.number == task }) else {
      complaints.append("\(task) is no task that has not ended")
      return
    }
    body(&entries[index])
  }
}
