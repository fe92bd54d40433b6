/// Who a client is, as far as it is known. It decides what the client may do, and with whom it shares keys.
package struct Principal: Hashable, Sendable {
  private let storedNumber: Int32
  /// Those of the same number share keys. Stored as it is asked for: each request's key is looked up with it.
  package let namespace: Int32

  /// By this number its options are found; it is its own for as long as the process lasts.
  @inline(__always)
  package var number: Int { Int(storedNumber) }
  @inline(__always)
  package var isUnknown: Bool { storedNumber < 0 }

  /// Whoever comes where nobody is asked.
  package static let anonymous = Principal(number: 0, namespace: 0)
  /// Who is asked, and has not said it.
  package static let unknown = Principal(number: -1, namespace: -1)

  init(number: Int, namespace: Int) {
    storedNumber = Int32(truncatingIfNeeded: number)
    self.namespace = Int32(truncatingIfNeeded: namespace)
  }
}
