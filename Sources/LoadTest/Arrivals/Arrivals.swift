/// A request and the time at which it is to be sent.
package struct Arrival: Hashable, Sendable {
  /// When to send it, from the run's start.
  package var nanoseconds: UInt64
  package var request: RequestShape
}

/// Gives the requests of an open loop, one after the other: nothing that a server does changes them.
package struct Arrivals: Sendable {
  private let workload: Workload
  private var source: RequestSource
  private var times: ScheduleClock
  /// Nil unless the workload is people who type.
  private var typists: Typists?
  private var connections: LoadRandom

  /// - Parameter schedule: ignored when people type, as they have a pace of their own.
  package init(_ workload: Workload, _ schedule: Schedule, warmUpSeconds: Double, seconds: Double) {
    self.workload = workload
    source = RequestSource(workload)
    times = ScheduleClock(schedule, warmUpSeconds: warmUpSeconds, seconds: seconds, seed: workload.seed)
    connections = LoadRandom(seed: workload.seed, stream: Streams.connections)
    if case .typing = workload.choice { typists = Typists(count: workload.keyCount, seed: workload.seed) }
  }

  package mutating func next() -> Arrival {
    guard let (nanoseconds, typist) = typists?.next() else {
      let request = source.next(on: connections.below(workload.connections))
      return Arrival(nanoseconds: times.next(), request: request)
    }
    return Arrival(nanoseconds: nanoseconds, request: source.next(on: seat(typist), key: key(typist)))
  }

  /// The connection for a typist's next letter: a random one if connections share keys, else always the same.
  private mutating func seat(_ typist: Int) -> Int {
    workload.sharesKeys ? connections.below(workload.connections) : typist / workload.keys
  }

  private func key(_ typist: Int) -> Int { workload.sharesKeys ? typist : typist % workload.keys }
}
