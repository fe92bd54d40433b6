import TaskStore

/// Invariant 2: nothing is answered once a newer task has taken its place.
extension Oracle {
  /// From `event` on, no task of a lane below a generation may be answered.
  mutating func addBarrier(_ generation: UInt64, at event: Int, in lane: Int) {
    var place = lanes[lane].barriers.count
    while place > 0, lanes[lane].barriers[place - 1].event > event { place -= 1 }
    lanes[lane].barriers.insert(.init(event: event, generation: generation), at: place)
    if lanes[lane].barriers.count > LaneView.barrierLimit { lanes[lane].barriers.removeFirst() }
    for delivery in lanes[lane].deliveries.reversed() {
      let isStale = delivery.event > event && delivery.generation < generation
      expect(
        !isStale,
        "invariant 2: generation \(delivery.generation) was answered after \(generation) superseded it")
    }
  }

  /// An answer that was handed to the core at `event` has reached a caller of a task.
  mutating func noteDelivery(of task: Int, at event: Int, isError: Bool) {
    let lane = tasks[task].lane
    let generation = tasks[task].generation
    guard lane >= 0, generation > 0 else { return }
    for barrier in lanes[lane].barriers.reversed() {
      let isStale = barrier.event < event && barrier.generation > generation
      expect(
        !isStale,
        "invariant 2: generation \(generation) was answered after \(barrier.generation) superseded it")
    }
    if lanes[lane].deliveries.count == LaneView.deliveryLimit { lanes[lane].deliveries.removeFirst() }
    lanes[lane].deliveries.append(.init(event: event, generation: generation))
    if tasks[task].policy == .onAnswer && !isError { addBarrier(generation, at: event, in: lane) }
  }
}
