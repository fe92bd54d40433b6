/// Where the connections of one loop put plaintext while somebody reads it: one after the other, so that it is there
/// once, however many there are.
package final class TLSScratch {
  private var bytes: [UInt8] = []

  package init() {}

  /// Lends it to `body`. Whoever asks meanwhile gets another.
  func lend<Result>(_ body: (inout [UInt8]) -> Result) -> Result {
    var lent: [UInt8] = []
    swap(&lent, &bytes)
    defer { swap(&lent, &bytes) }
    return body(&lent)
  }
}

@available(*, unavailable)
extension TLSScratch: Sendable {}
