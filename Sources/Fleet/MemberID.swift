/// Who can own partitions: one process, as long as the engine has its record. 128 random bits, so that no two lives of a
/// process, and no two processes, have one in common.
package struct MemberID: Hashable, Comparable, Sendable {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  package static func < (one: MemberID, other: MemberID) -> Bool {
    (one.high, one.low) < (other.high, other.low)
  }

  /// In big-endian order.
  var bytes: [UInt8] {
    [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) } }
  }

  /// 32 hexadecimal digits.
  package var text: String { Self.digits(of: high) + Self.digits(of: low) }

  private static func digits(of word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Nil: these are no 32 small hexadecimal digits.
  package init?(text: String) {
    guard text.utf8.count == 32, let high = UInt64(text.prefix(16), radix: 16),
      let low = UInt64(text.suffix(16), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
    guard self.text == text else { return nil }
  }
}
