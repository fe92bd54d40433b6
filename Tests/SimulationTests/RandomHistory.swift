import GatewayCore
import HotData
import Simulation
import TaskStore

/// One seed's history, made up as it goes: what it may contain depends on what is there.
struct RandomHistory {
  let limits: StoreLimits
  private(set) var events: [Event] = []
  private let swarm: Swarm
  private var random: SplitMix64
  private var trial: Trial
  private var requestCount = 0

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    swarm = Swarm(using: &random)
    limits = swarm.limits
    trial = Trial(limits: limits)
  }

  /// Runs so many steps, then lets everything end; what went wrong first, if anything.
  mutating func run(steps: Int) -> String? {
    for _ in 0..<steps {
      if let complaint = happens(nextEvent()) { return complaint }
    }
    return letEverythingEnd()
  }

  private mutating func happens(_ event: Event) -> String? {
    events.append(event)
    return trial.apply(event)
  }

  /// No faults any more: what runs is answered, and time passes. Every timer is at most an orphan's life away.
  private mutating func letEverythingEnd() -> String? {
    while !trial.model.tasks.isEmpty {
      for task in trial.model.tasks where task.state == .running {
        if trial.model.task(task.number)?.state != .running { continue }
        if let complaint = happens(.finished(task.number, isError: false)) { return complaint }
      }
      guard let due = trial.model.nextDueMilliseconds else { continue }
      if let complaint = happens(.timePasses(due - trial.model.nowMilliseconds)) { return complaint }
    }
    return trial.store.store.isEmpty ? nil : "invariant 8: the store is not empty at the end"
  }

  // MARK: What happens next

  private mutating func nextEvent() -> Event {
    let model = trial.model
    let kind = random.pick(swarm.kinds)
    switch kind {
    case .submit, .notification: break
    case .finished, .error:
      let sent = model.tasks.filter { $0.state != .queued }
      if !sent.isEmpty { return .finished(random.pick(sent).number, isError: kind == .error) }
    case .piece:
      let running = model.tasks.filter { $0.state == .running && !$0.request.isNotification }
      if !running.isEmpty { return .piece(random.pick(running).number) }
    case .failed:
      if !model.tasks.isEmpty { return .failed(random.pick(model.tasks).number) }
    case .cancelledTogether:
      let callers = model.tasks.flatMap(\.waiters).map(\.number).filter { _ in random.oneIn(2) }
      if !callers.isEmpty { return .cancelledTogether(callers) }
    case .cancelledLane:
      let keys = model.tasks.compactMap(\.request.key)
      if !keys.isEmpty { return .cancelledLane(random.pick(keys)) }
    case .cancelled, .disconnected:
      let callers = model.tasks.flatMap(\.waiters)
      guard !callers.isEmpty else { break }
      let caller = random.pick(callers).number
      return kind == .cancelled ? .cancelled(caller) : .disconnected(caller)
    case .leftBehind:
      let drain = random.pick(swarm.drains)
      if !model.tasks.isEmpty {
        return .leftBehind(random.pick(model.tasks).number, drainMilliseconds: drain)
      }
    case .nextTimer:
      if let due = model.nextDueMilliseconds { return .timePasses(due - model.nowMilliseconds) }
    case .time: return .timePasses(UInt64(random.pick([0, 1, 49, 999, 5_000, 60_000])))
    }
    return .submit(nextRequest(isNotification: kind == .notification))
  }

  private mutating func nextRequest(isNotification: Bool) -> Request {
    requestCount += 1
    var request = Request(number: requestCount, policy: random.pick(swarm.policies))
    request.key = random.pick(swarm.keys)
    request.join = random.pick(swarm.joins)
    let isOther = random.oneIn(swarm.oneInAsksOther)
    request.asksTheSame = request.joinRule == .identical && !isOther
    request.hasTheSameMethod = request.joinRule == .always && !isOther
    request.debounceMilliseconds = random.pick(swarm.debounces)
    if request.debounceMilliseconds > 0 { request.maxWaitMilliseconds = random.pick(swarm.maxWaits) }
    request.maxStaleMilliseconds = random.pick(swarm.maxStales)
    request.maxRunning = random.pick(swarm.maxRunnings)
    request.isCompensated = random.oneIn(swarm.oneInCompensated)
    request.isNotification = isNotification
    request.endsOnCancel = random.oneIn(swarm.oneInEndsOnCancel)
    request.timeoutMilliseconds = random.pick(swarm.timeouts)
    request.drainMilliseconds = random.pick(swarm.drains)
    request.kind = random.pick(swarm.answerKinds)
    request.follows = request.kind != 0 && random.oneIn(swarm.oneInFollows)
    return request
  }
}
