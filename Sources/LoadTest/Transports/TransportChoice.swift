/// The transports of a run's clients.
package enum TransportChoice: Hashable, Sendable {
  case all(LoadTransport)
  /// The transport of each client is drawn.
  case mix

  /// The forms of a choice on the command line.
  package static let forms = names.dropLast().joined(separator: ", ") + " or mix"
  package static let names = LoadTransport.allCases.map(\.rawValue) + ["mix"]

  package init?(parsing text: String) {
    if text == "mix" {
      self = .mix
    } else if let transport = LoadTransport(rawValue: text) {
      self = .all(transport)
    } else {
      return nil
    }
  }

  /// Whether some client may send POSTs.
  package var mayPost: Bool {
    switch self {
    case .all(let transport): transport.posts
    case .mix: true
    }
  }

  /// One for each client, the same for the same seed.
  package func transports(clients: Int, seed: UInt64) -> [LoadTransport] {
    switch self {
    case .all(let transport): return Array(repeating: transport, count: clients)
    case .mix:
      var random = LoadRandom(seed: seed, stream: Streams.transports)
      return (0..<clients).map { _ in LoadTransport.allCases[random.below(LoadTransport.allCases.count)] }
    }
  }
}

extension TransportChoice: CustomStringConvertible {
  package var description: String {
    switch self {
    case .all(let transport): transport.rawValue
    case .mix: "mix"
    }
  }
}
