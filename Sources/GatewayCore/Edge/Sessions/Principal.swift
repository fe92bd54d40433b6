/// Who a client is, as far as that is known: what is decided about what it may do and meet is decided by this.
package struct Principal: Hashable, Sendable {
  @Compact fileprivate var number: Int

  /// Who has not said who it is. There is no other yet.
  package static let anonymous = Principal(number: 0)

  private init(number: Int) { self.number = number }

  package static func == (one: Principal, other: Principal) -> Bool { one.number == other.number }
  package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// Who shares keys: tasks of two namespaces never meet, whatever their keys are called.
package struct Namespace: Hashable, Sendable {
  /// What the key table knows it by; 0: that of the first listener's anonymous clients.
  package let number: UInt64

  private init(number: UInt64) { self.number = number }

  /// All clients of a listener that are the same principal.
  static func shared(listener: Int, _ principal: Principal) -> Namespace {
    Namespace(number: UInt64(principal.number) << Self.principalBits | UInt64(listener) << 1)
  }

  /// One connection alone.
  /// - Parameter connection: how many there were before it, itself included.
  static func own(connection: UInt64) -> Namespace { Namespace(number: connection << 1 | 1) }

  /// That of a key, as the key table gives it.
  package init(ofKey number: UInt64) { self.init(number: number) }

  /// Whether all of a listener share it, or one connection has it for itself.
  package var scope: ListenerOptions.Scope { number & 1 == 0 ? .shared : .connection }

  /// Listeners have lower numbers than 2 to the power of one less.
  private static let principalBits: UInt64 = 32
}
