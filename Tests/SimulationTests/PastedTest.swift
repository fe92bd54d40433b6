import TaskStore

/// A failing history as a test to paste into `TaskStoreTests`, with what the model expects.
struct PastedTest {
  let history: [Event]
  let limits: StoreLimits
  let complaint: String

  var text: String {
    var model = NaiveStore(limits: limits)
    let lines = history.map { event in
      let effects = model.apply(event).map(text(of:)).joined(separator: ", ")
      return "  #expect(store.\(text(of: event)) == [\(effects)])"
    }
    let test = ["@Test mutating func `what a history found`() {"] + setting + lines + ["}"]
    return complaint + "\n\n" + test.joined(separator: "\n") + "\n"
  }

  private var setting: [String] {
    let usual = StoreLimits()
    var lines: [String] = []
    func note<Value: Equatable>(_ name: String, _ limit: KeyPath<StoreLimits, Value>) {
      if limits[keyPath: limit] != usual[keyPath: limit] {
        lines.append("  limits.\(name) = \(limits[keyPath: limit])")
      }
    }
    note("tasks", \.tasks)
    note("waiters", \.waiters)
    note("tasksPerLane", \.tasksPerLane)
    note("queuePerLane", \.queuePerLane)
    note("orphansPerLane", \.orphansPerLane)
    note("orphanMilliseconds", \.orphanMilliseconds)
    note("compensationMilliseconds", \.compensationMilliseconds)
    guard !lines.isEmpty else { return [] }
    return ["  var limits = StoreLimits()"] + lines + ["  store = Transcript(limits: limits)"]
  }

  private func text(of event: Event) -> String {
    switch event {
    case .submit(let request): text(of: request)
    case .finished(let task, isError: true): "finished(\(task), isError: true)"
    case .finished(let task, isError: false): "finished(\(task))"
    case .piece(let task): "piece(\(task))"
    case .failed(let task): "failed(\(task))"
    case .cancelled(let caller): "cancelled(\(caller))"
    case .cancelledTogether(let callers): "cancelled(\(callers))"
    case .cancelledLane(let key): "cancelled(key: \(key))"
    case .disconnected(let caller): "disconnected(\(caller))"
    case .leftBehind(let task, let drain): "leftBehind(\(task), drainMilliseconds: \(drain))"
    case .timePasses(let milliseconds): "timePasses(\(milliseconds))"
    }
  }

  private func text(of request: Request) -> String {
    let usual = Request(number: 0, policy: .cancel)
    var options: [String] = []
    if request.isNotification { options.append("$0.isNotification = true") }
    if let join = request.join { options.append("$0.join = .\(join)") }
    if request.debounceMilliseconds > 0 {
      options.append("$0.debounceMilliseconds = \(request.debounceMilliseconds)")
      options.append("$0.maxWaitMilliseconds = \(request.maxWaitMilliseconds)")
    }
    if request.maxStaleMilliseconds > 0 {
      options.append("$0.maxStaleMilliseconds = \(request.maxStaleMilliseconds)")
    }
    if request.maxRunning > 1 { options.append("$0.maxRunning = \(request.maxRunning)") }
    if request.isCompensated { options.append("$0.isCompensated = true") }
    if request.hasTheSameMethod { options.append("$0.hasTheSameMethod = true") }
    if request.kind != 0 { options.append("$0.kind = \(request.kind); $0.follows = \(request.follows)") }
    if request.endsOnCancel { options.append("$0.endsOnCancel = true") }
    if request.timeoutMilliseconds != usual.timeoutMilliseconds {
      options.append("$0.timeoutMilliseconds = \(request.timeoutMilliseconds)")
    }
    if request.drainMilliseconds != usual.drainMilliseconds {
      options.append("$0.drainMilliseconds = \(request.drainMilliseconds)")
    }
    let key = request.key == 0 ? "" : ", key: \(request.key.map(String.init) ?? "nil")"
    let same = request.asksTheSame ? ", same: true" : ""
    let adjustment = options.isEmpty ? "" : " { \(options.joined(separator: "; ")) }"
    return "submit(.\(request.policy.name)\(key)\(same))\(adjustment)"
  }

  private func text(of line: Line) -> String {
    switch line {
    case .superseded(let caller, let task): ".superseded(\(caller), by: \(task))"
    case .follows(let caller, let task): ".follows(\(caller), \(task))"
    case .cancelled(let caller, _): ".cancelled(\(caller))"
    case .expired(let caller, _): ".expired(\(caller))"
    case .unavailable(let caller): ".unavailable(\(caller))"
    case .cancel(let task): ".cancel(\(task))"
    case .drop(let task): ".drop(\(task))"
    case .compensate(let task): ".compensate(\(task))"
    case .deliver(let caller): ".deliver(\(caller))"
    case .start(let task): ".start(\(task))"
    case .retire: ".retire"
    case .busy: ".busy"
    case .overloaded(let bound): ".overloaded(.\(bound))"
    case .joined(let task): ".joined(\(task))"
    case .absurd(let complaint): complaint
    }
  }
}
