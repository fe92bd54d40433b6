import HotData
import TaskStore

/// A store as a test talks to it: requests are numbered as they come, and a task is called by its first request.
final class Transcript {
  /// One effect, in numbers of requests.
  enum Line: Hashable {
    case superseded(Int, by: Int)
    /// A caller waits for the newer task from now on.
    case follows(Int, Int)
    case contentModified(Int)
    case cancelled(Int)
    case expired(Int)
    case unavailable(Int)
    case shuttingDown(Int)
    case unread(Int)
    case cancel(Int)
    case drop(Int)
    case compensate(Int)
    case deliver(Int)
    case start(Int)
    case retire
    // What becomes of a request at the door.
    case busy
    case overloaded(StoreLimits.Bound)
    case joined(Int)
  }

  private var store: TaskStore
  private var requestCount = 0
  private var requestOfTask: [TaskID: Int] = [:]
  private var requestOfWaiter: [WaiterID: Int] = [:]
  private var taskOfRequest: [Int: TaskID] = [:]
  private var waiterOfRequest: [Int: WaiterID] = [:]
  private var requestOfGeneration: [UInt64: Int] = [:]
  private var effects = TaskEffects()

  init(limits: StoreLimits = StoreLimits()) { store = TaskStore(limits: limits) }

  func submit(
    _ policy: DuplicatePolicy, key: Int? = 0, same: Bool = false,
    _ adjust: (inout Admission) -> Void = { _ in }
  ) -> [Line] {
    var admission = Admission(key: key.map { TaskKey(slot: $0) }, policy: policy)
    admission.asksTheSame = same
    adjust(&admission)
    requestCount += 1
    let number = requestCount
    requestOfGeneration[store.nextGeneration] = number
    switch store.submit(admission, effects: &effects) {
    case .admitted(let task, let waiter):
      requestOfTask[task] = number
      taskOfRequest[number] = task
      if let waiter { name(waiter, number) }
      return heard()
    case .joined(let task, let waiter):
      name(waiter, number)
      return [.joined(requestOfTask[task]!)] + heard()
    case .busy: return [.busy] + heard()
    case .overloaded(let bound): return [.overloaded(bound)] + heard()
    }
  }

  func finished(_ number: Int, isError: Bool = false) -> [Line] {
    store.finished(taskOfRequest[number]!, isError: isError, effects: &effects)
    return heard()
  }

  func piece(_ number: Int, isFirst: Bool = true) -> [Line] {
    store.gavePiece(taskOfRequest[number]!, isFirst: isFirst, effects: &effects)
    return heard()
  }

  func failed(_ number: Int) -> [Line] {
    store.failed(taskOfRequest[number]!, .upstreamUnavailable, effects: &effects)
    return heard()
  }

  func outdated(_ numbers: [Int]) -> [Line] {
    store.outdated(numbers.map { taskOfRequest[$0]! }, effects: &effects)
    return heard()
  }

  func cancelled(_ number: Int) -> [Line] {
    store.cancelled(waiterOfRequest[number]!, effects: &effects)
    return heard()
  }

  func cancelled(_ numbers: [Int]) -> [Line] {
    store.cancelled(numbers.map { waiterOfRequest[$0]! }, effects: &effects)
    return heard()
  }

  func cancelled(key: Int) -> [Line] {
    store.cancelled(in: TaskKey(slot: key), effects: &effects)
    return heard()
  }

  /// The number of a request that another store has.
  static let elsewhere = 0

  /// By a request that another store will have.
  func supersededElsewhere(key: Int) -> [Line] {
    store.superseded(in: TaskKey(slot: key), by: .cancel, effects: &effects)
    return heard()
  }

  func disconnected(_ number: Int) -> [Line] {
    store.disconnected(waiterOfRequest[number]!, effects: &effects)
    return heard()
  }

  func leftBehind(_ number: Int, drainMilliseconds: UInt32) -> [Line] {
    store.leftBehind(taskOfRequest[number]!, drainMilliseconds: drainMilliseconds, effects: &effects)
    return heard()
  }

  /// Time passes, and no timer has its turn yet.
  func timePassesOver(_ milliseconds: UInt64) {
    store.timeAdvanced(to: store.nowMilliseconds + milliseconds)
  }

  func timePasses(_ milliseconds: UInt64) -> [Line] {
    store.timeAdvanced(to: store.nowMilliseconds + milliseconds)
    while store.fireTimer(effects: &effects) {}
    return heard()
  }

  var isEmpty: Bool { store.isEmpty }
  var isSettled: Bool { store.isSettled }
  var taskCount: Int { store.taskCount }
  func knows(_ task: TaskID) -> Bool { store.knows(task) }
  func task(_ number: Int) -> TaskID { taskOfRequest[number]! }
  func generation(of number: Int) -> UInt64 { store.generation(of: taskOfRequest[number]!) }

  private func name(_ waiter: WaiterID, _ number: Int) {
    requestOfWaiter[waiter] = number
    waiterOfRequest[number] = waiter
  }

  private func heard() -> [Line] {
    defer { effects.removeAll() }
    return (0..<Int32(effects.count)).map { index in
      switch effects[index] {
      case .compensate(let task, let undoing): rename(task, undoing)
      case .refuse(let waiter, let refusal): line(requestOfWaiter[waiter]!, refusal.reason)
      case .follow(let waiter, from: _, to: let task):
        .follows(requestOfWaiter[waiter]!, requestOfTask[task]!)
      case .cancel(let task): .cancel(requestOfTask[task]!)
      case .drop(let task): .drop(requestOfTask[task]!)
      case .deliver(let waiter): .deliver(requestOfWaiter[waiter]!)
      case .start(let task): .start(requestOfTask[task]!)
      case .retire: .retire
      }
    }
  }

  private func rename(_ task: TaskID, _ undoing: TaskID) -> Line {
    let number = requestOfTask[task]!
    requestOfTask[undoing] = number
    taskOfRequest[number] = undoing
    return .compensate(number)
  }

  private func line(_ number: Int, _ reason: Refusal.Reason) -> Line {
    switch reason {
    case .superseded(let generation):
      .superseded(number, by: requestOfGeneration[generation] ?? Self.elsewhere)
    case .contentModified: .contentModified(number)
    case .cancelled: .cancelled(number)
    case .deadlineExceeded: .expired(number)
    case .upstreamUnavailable, .badAnswer: .unavailable(number)
    case .shuttingDown: .shuttingDown(number)
    case .unread: .unread(number)
    }
  }
}
