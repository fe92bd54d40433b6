import TaskStore

/// Invariant 2: nothing is answered once a newer task has taken its place.
extension Oracle {
  mutating func add(_ barrier: LaneView.Barrier, in lane: Int) {
    var place = lanes[lane].barriers.count
    while place > 0, lanes[lane].barriers[place - 1].event > barrier.event { place -= 1 }
    lanes[lane].barriers.insert(barrier, at: place)
    if lanes[lane].barriers.count > LaneView.barrierLimit { lanes[lane].barriers.removeFirst() }
    for delivery in lanes[lane].deliveries { check(delivery, against: barrier) }
  }

  /// An answer that was handed to the core has reached a caller of its task.
  mutating func noteDelivery(of task: Int, _ answer: AnswerView) {
    let lane = tasks[task].lane
    let generation = tasks[task].generation
    expect(tasks[task].undoing < 0, "call \(tasks[task].id) was delivered and undone")
    tasks[task].isDelivered = true
    guard lane >= 0, generation > 0 else { return }
    let delivery = LaneView.Delivery(event: answer.handed, generation: generation)
    for barrier in lanes[lane].barriers { check(delivery, against: barrier) }
    if lanes[lane].deliveries.count == LaneView.deliveryLimit { lanes[lane].deliveries.removeFirst() }
    lanes[lane].deliveries.append(delivery)
    if let since = lanes[lane].staleSinceMilliseconds {
      lanes[lane].staleSinceMilliseconds = max(since, answer.handedMilliseconds)
    }
    if tasks[task].policy == .onAnswer && answer.kind == .result {
      add(LaneView.Barrier(event: answer.handed, generation: generation), in: lane)
    }
  }

  private func check(_ delivery: LaneView.Delivery, against barrier: LaneView.Barrier) {
    let (older, newer) = (delivery.generation, barrier.generation)
    expect(
      !barrier.forbids(delivery), "invariant 2: generation \(older) was answered after \(newer) superseded it"
    )
  }
}
