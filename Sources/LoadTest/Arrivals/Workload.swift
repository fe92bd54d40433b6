import TaskStore

/// The properties of a run's requests.
package struct Workload: Hashable, Sendable {
  package enum Keys: Hashable, Sendable {
    case drawn(KeyDistribution)
    /// Each key belongs to a person who types, at the pace of a human.
    case typing

    /// The forms of a key distribution on the command line.
    package static let forms = "uniform, zipf:EXPONENT or typing"
    /// One of each kind.
    package static let names = ["uniform", "zipf:1.1", "typing"]
  }

  package var connections = 64
  /// The number of keys: of each connection, or of all together when they share keys.
  package var keys = 16
  package var sharesKeys = false
  /// Whether the gateway admits a connection's requests in the order of sending even if their keys differ.
  package var ordersKeys = true
  package var choice = Keys.drawn(.uniform)
  /// The policies; nil: requests have no key.
  package var policies: PolicyMix? = PolicyMix(.cancel)
  /// Bytes of padding in each request.
  package var paddingBytes = 0
  /// Bytes of a request, its line end included; those that would be shorter are padded more.
  package var sizeBytes = 0...0
  package var pieces = PieceShape()
  /// The share of requests that the client cancels, from 0 to 1.
  package var cancelShare = 0.0
  package var seed: UInt64 = 1

  package init() {}

  /// Keys of all connections together.
  package var keyCount: Int { sharesKeys ? keys : keys * connections }
}

extension Workload.Keys: CustomStringConvertible {
  package init?(parsing text: String) {
    switch text {
    case "uniform": self = .drawn(.uniform)
    case "typing": self = .typing
    default:
      guard text.hasPrefix("zipf:"), let exponent = Double(text.dropFirst("zipf:".count)),
        KeyDistribution.exponentRange.contains(exponent)
      else { return nil }
      self = .drawn(.zipf(exponent: exponent))
    }
  }

  package var description: String {
    switch self {
    case .drawn(.uniform): "uniform"
    case .drawn(.zipf(let exponent)): "zipf:\(exponent)"
    case .typing: "typing"
    }
  }
}
