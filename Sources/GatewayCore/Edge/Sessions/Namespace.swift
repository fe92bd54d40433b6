import Identity

/// The clients that share keys: tasks of two namespaces never meet, even under equal keys.
package struct Namespace: Hashable, Sendable {
  /// The owner of its keys, as pages show it.
  package enum Owner: Equatable, Sendable {
    /// One connection alone; the first has number 1. Those of a fleet's other members have numbers beyond 2 to the
    /// power of 48.
    case connection(UInt64)
    /// The clients of a listener whose principals share keys; the first listener is 0, and so are anonymous clients.
    case listener(Int, principals: Int)
  }

  /// What the key table knows it by. Only this type knows what its bits mean; others show the `owner`.
  package let number: UInt64

  private init(number: UInt64) { self.number = number }

  /// All clients of a listener whose principals are in the same namespace.
  static func shared(listener: Int, _ principal: Principal) -> Namespace {
    Namespace(
      number: UInt64(UInt32(bitPattern: principal.namespace)) << Self.namespaceBits | UInt64(listener) << 1)
  }

  /// One connection alone.
  /// - Parameter connection: how many there were before it, itself included.
  static func own(connection: UInt64) -> Namespace { Namespace(number: connection << 1 | 1) }

  /// That of a key, as the key table gives it.
  package init(ofKey number: UInt64) { self.init(number: number) }

  package var owner: Owner {
    switch scope {
    case .connection: .connection(number >> 1)
    case .shared:
      .listener(
        Int(UInt32(truncatingIfNeeded: number) >> 1), principals: Int(number >> Self.namespaceBits))
    }
  }

  /// That of the principals who share it, as the directory numbers them; nil: it is one connection's.
  var principals: Int? { scope == .shared ? Int(number >> Self.namespaceBits) : nil }

  /// Whether all of a listener share it, or one connection has it for itself.
  package var scope: ListenerOptions.Scope { number & 1 == 0 ? .shared : .connection }

  /// Listeners have lower numbers than 2 to the power of one less.
  private static let namespaceBits: UInt64 = 32
}
