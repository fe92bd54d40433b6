import HotData
import TaskStore

/// The store under test, spoken to in numbers of requests.
final class NumberedStore {
  private(set) var store: TaskStore
  private var taskOfRequest: [Int: TaskID] = [:]
  private var waiterOfRequest: [Int: WaiterID] = [:]
  private var requestOfTask: [TaskID: Int] = [:]
  private var requestOfWaiter: [WaiterID: Int] = [:]
  private var effects = TaskEffects()

  init(limits: StoreLimits) { store = TaskStore(limits: limits) }

  init(copying other: NumberedStore) {
    store = other.store.copy()
    (taskOfRequest, waiterOfRequest) = (other.taskOfRequest, other.waiterOfRequest)
    (requestOfTask, requestOfWaiter) = (other.requestOfTask, other.requestOfWaiter)
  }

  func submit(_ request: Request) -> [Line] {
    let generation = store.nextGeneration
    let door: [Line]
    switch store.submit(request.admission, effects: &effects) {
    case .admitted(let task, let waiter): door = name(request.number, task, waiter)
    case .joined(let task, let waiter):
      name(request.number, waiter)
      let number = number(of: task)
      return [.joined(number)] + heard(superseder: number, store.generation(of: task))
    case .busy: door = [.busy]
    case .overloaded(let bound): door = [.overloaded(bound)]
    }
    return door + heard(superseder: request.number, generation)
  }

  func finished(_ number: Int, isError: Bool) -> [Line] {
    let task = taskOfRequest[number]!
    guard store.knows(task) else { return [.absurd("task \(number) is not known any more")] }
    let generation = store.generation(of: task)
    store.finished(task, isError: isError, effects: &effects)
    return heard(superseder: number, generation)
  }

  func piece(_ number: Int, isFirst: Bool) -> [Line] {
    let task = taskOfRequest[number]!
    let generation = store.generation(of: task)
    store.gavePiece(task, isFirst: isFirst, effects: &effects)
    return heard(superseder: number, generation)
  }

  func failed(_ number: Int) -> [Line] {
    let task = taskOfRequest[number]!
    guard store.knows(task) else { return [.absurd("task \(number) is not known any more")] }
    store.failed(task, .upstreamUnavailable, effects: &effects)
    return heard()
  }

  func cancelled(_ number: Int) -> [Line] {
    store.cancelled(waiterOfRequest[number]!, effects: &effects)
    return heard()
  }

  func cancelledTogether(_ numbers: [Int]) -> [Line] {
    store.cancelled(numbers.map { waiterOfRequest[$0]! }, effects: &effects)
    return heard()
  }

  func cancelledLane(_ key: Int) -> [Line] {
    store.cancelled(in: TaskKey(slot: key), effects: &effects)
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

  func timeAdvanced(to milliseconds: UInt64) { store.timeAdvanced(to: milliseconds) }

  func fireTimer() -> [Line]? { store.fireTimer(effects: &effects) ? heard() : nil }

  // MARK: Names

  private func name(_ number: Int, _ task: TaskID, _ waiter: WaiterID?) -> [Line] {
    let earlier = requestOfTask.updateValue(number, forKey: task)
    taskOfRequest[number] = task
    if let waiter { name(number, waiter) }
    return earlier.map { [.absurd("task \(number) has the id that task \($0) had")] } ?? []
  }

  private func name(_ number: Int, _ waiter: WaiterID) {
    requestOfWaiter[waiter] = number
    waiterOfRequest[number] = waiter
  }

  private func number(of task: TaskID) -> Int { requestOfTask[task] ?? 0 }

  // MARK: Effects

  private func heard(superseder number: Int = 0, _ generation: UInt64 = 0) -> [Line] {
    defer { effects.removeAll() }
    return (0..<Int32(effects.count)).map { index in
      switch effects[index] {
      case .refuse(let waiter, let refusal):
        refused(requestOfWaiter[waiter] ?? 0, refusal, superseder: number, generation)
      case .follow(let waiter, from: _, to: let task):
        .follows(requestOfWaiter[waiter] ?? 0, self.number(of: task))
      case .cancel(let task): .cancel(self.number(of: task))
      case .compensate(let task, as: let undoing): compensated(task, as: undoing)
      case .drop(let task): .drop(self.number(of: task))
      case .deliver(let waiter): .deliver(requestOfWaiter[waiter] ?? 0)
      case .start(let task): .start(self.number(of: task))
      case .retire(let key): .retire(key.slot)
      }
    }
  }

  private func compensated(_ task: TaskID, as undoing: TaskID) -> Line {
    let number = number(of: task)
    requestOfTask[undoing] = number
    taskOfRequest[number] = undoing
    return .compensate(number)
  }

  private func refused(
    _ caller: Int, _ refusal: Refusal, superseder number: Int, _ generation: UInt64
  ) -> Line {
    switch refusal.reason {
    case .superseded(by: generation): .superseded(caller, by: number)
    case .superseded(let other): .absurd("\(caller) superseded by generation \(other)")
    case .contentModified: .absurd("\(caller) told of a notification")
    case .cancelled: .cancelled(caller, taskGoesOn: refusal.taskGoesOn)
    case .deadlineExceeded: .expired(caller, taskGoesOn: refusal.taskGoesOn)
    case .upstreamUnavailable, .badAnswer: .unavailable(caller)
    case .shuttingDown: .absurd("\(caller) told that the gateway shuts down")
    case .unread: .absurd("\(caller) told that it does not read pieces")
    }
  }
}
