import GatewayCore
import TaskStore

/// Invariant 2: no result of a task is given after a task that supersedes it was admitted.
extension Oracle {
  /// Whatever a request supersedes is closed at once, but for one running task that it may spare.
  mutating func checkSuperseded(by number: Int, _ core: inout GatewayCore, _ clients: ClientTable) {
    let record = records[number]
    guard record.lane >= 0, record.supersedesOlder else { return }
    let newer = record.task
    var spared = -1
    for older in lanes[record.lane].tasks where tasks[older].admitted < tasks[newer].admitted {
      guard let open = open(older, &core, clients) else { continue }
      if spared < 0, open.state == .running, maySpare(number) {
        spared = older
        coverage.count(.spared)
      } else {
        complain("invariant 2: \(tasks[older].creator) is still open though \(number) superseded it")
      }
    }
    if tasks[newer].creator == number { tasks[newer].spared = spared }
    let barrier = LaneView.Barrier(
      event: record.handled, generation: tasks[newer].generation,
      spared: spared < 0 ? 0 : tasks[spared].generation)
    add(barrier, in: record.lane)
  }

  /// Whether the lane may have superseded for so long without delivering anything.
  private func maySpare(_ number: Int) -> Bool {
    guard let maxStale = records[number].terms.maxStaleMilliseconds, maxStale > 0 else { return false }
    guard let since = lanes[records[number].lane].staleSinceMilliseconds else { return false }
    return nowMilliseconds - since >= Int(maxStale)
  }

  mutating func add(_ barrier: LaneView.Barrier, in lane: Int) {
    var place = lanes[lane].barriers.count
    while place > 0, lanes[lane].barriers[place - 1].event > barrier.event { place -= 1 }
    lanes[lane].barriers.insert(barrier, at: place)
    if lanes[lane].barriers.count > LaneView.barrierLimit { lanes[lane].barriers.removeFirst() }
    for delivery in lanes[lane].deliveries { check(delivery, against: barrier) }
  }

  /// An answer that was handed to the core has reached a caller of its task.
  mutating func noteDelivery(of task: Int, _ answer: AnswerView) {
    expect(tasks[task].undoing < 0, "call \(tasks[task].id) was delivered and undone")
    tasks[task].isDelivered = true
    tasks[task].deliveredMilliseconds = answer.handedMilliseconds
    noteDelivery(
      of: task, at: answer.handed, answer.handedMilliseconds, supersedes: answer.kind == .result)
  }

  /// The same of some of an answer.
  mutating func noteDelivery(ofPieceOf task: Int, _ answer: AnswerView) {
    noteDelivery(of: task, at: answer.pieceHanded, answer.pieceHandedMilliseconds, supersedes: true)
  }

  /// - Parameter supersedes: with the policy for that it ends what is older.
  private mutating func noteDelivery(
    of task: Int, at event: Int, _ milliseconds: Int, supersedes: Bool
  ) {
    let lane = tasks[task].lane
    let generation = tasks[task].generation
    guard lane >= 0, generation > 0 else { return }
    let delivery = LaneView.Delivery(event: event, generation: generation)
    for barrier in lanes[lane].barriers { check(delivery, against: barrier) }
    if lanes[lane].deliveries.count == LaneView.deliveryLimit { lanes[lane].deliveries.removeFirst() }
    lanes[lane].deliveries.append(delivery)
    if let since = lanes[lane].staleSinceMilliseconds {
      lanes[lane].staleSinceMilliseconds = max(since, milliseconds)
    }
    if tasks[task].policy == .onAnswer && supersedes {
      add(LaneView.Barrier(event: event, generation: generation), in: lane)
    }
  }

  private func check(_ delivery: LaneView.Delivery, against barrier: LaneView.Barrier) {
    let (older, newer) = (delivery.generation, barrier.generation)
    expect(
      !barrier.forbids(delivery), "invariant 2: generation \(older) was answered after \(newer) superseded it"
    )
  }
}
