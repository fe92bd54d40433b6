import Secrets

/// An owner of partitions: one process, as long as the engine has its record. 128 random bits, so that no two
/// processes, and no two lives of one, have the same.
package struct MemberID: Hashable, Comparable, Sendable {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The owner of partitions that the last member of a fleet gave away when it left.
  package static let nobody = MemberID(high: 0, low: 0)

  package static func < (one: MemberID, other: MemberID) -> Bool {
    (one.high, one.low) < (other.high, other.low)
  }

  /// In big-endian order.
  var bytes: [UInt8] {
    [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) } }
  }

  /// 32 hexadecimal digits.
  package var text: String { Hexadecimal.text(of: bytes) }

  /// Nil: these are no 32 small hexadecimal digits.
  package init?(text: String) {
    guard let bytes = Hexadecimal.bytes(of: text), bytes.count == 16 else { return nil }
    let words = [bytes[..<8], bytes[8...]].map { $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
    self.init(high: words[0], low: words[1])
    guard self.text == text else { return nil }
  }
}
