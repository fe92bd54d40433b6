import Testing

/// From a client to an upstream.
struct Way: CustomTestStringConvertible {
  let transport: Transport
  let kind: UpstreamKind

  var testDescription: String { "\(transport) to \(kind)" }

  /// Over lines to each kind; what carries a client's messages has nothing to do with that, so over the other
  /// transports to one or two.
  static func to(
    _ kinds: [UpstreamKind], others: [UpstreamKind], but reasons: [Transport: Reason] = [:]
  ) -> [Way] {
    Transport.all(but: reasons).flatMap { transport in
      (transport == .lines ? kinds : others).map { Way(transport: transport, kind: $0) }
    }
  }
}
