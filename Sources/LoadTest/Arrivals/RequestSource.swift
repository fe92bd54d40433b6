/// Draws the requests of each connection: the same for the same seed, in whatever order the connections ask for them.
package struct RequestSource: Sendable {
  private struct Draws {
    var keys: LoadRandom
    var policies: LoadRandom
    var sizes: LoadRandom
    var cancels: LoadRandom

    init(seed: UInt64, connection: Int) {
      keys = LoadRandom(seed: seed, stream: Streams.keys(of: connection))
      policies = LoadRandom(seed: seed, stream: Streams.policies(of: connection))
      sizes = LoadRandom(seed: seed, stream: Streams.sizes(of: connection))
      cancels = LoadRandom(seed: seed, stream: Streams.cancels(of: connection))
    }
  }

  private let workload: Workload
  private let choice: KeyChoice
  private var draws: [Draws]

  package init(_ workload: Workload) {
    self.workload = workload
    if case .drawn(let distribution) = workload.choice {
      choice = KeyChoice(distribution, count: workload.keys)
    } else {
      choice = KeyChoice(.uniform, count: workload.keys)
    }
    draws = (0..<workload.connections).map { Draws(seed: workload.seed, connection: $0) }
  }

  /// - Parameter key: the request's key; nil: it is drawn, too.
  package mutating func next(on connection: Int, key: Int? = nil) -> RequestShape {
    RequestShape(
      connection: connection, key: key ?? choice.draw(&draws[connection].keys),
      policy: workload.policies?.draw(&draws[connection].policies), sizeBytes: size(connection),
      isCancelled: workload.cancelShare > 0
        && draws[connection].cancels.fraction() < workload.cancelShare)
  }

  private mutating func size(_ connection: Int) -> Int {
    let range = workload.sizeBytes
    return range.count == 1 ? range.lowerBound : draws[connection].sizes.within(range)
  }
}
