/// Reads numbers that are meant as counts, durations or ids of ours.
package enum JSONNumber {
  /// The number at `raw` if it is spelt in plain digits only and fits; no sign, fraction, exponent or
  /// leading zero.
  package static func nonNegativeInteger(_ raw: ByteRange, in bytes: Span<UInt8>) -> UInt64? {
    guard !raw.isEmpty, bytes[Int(raw.lower)] != UInt8(ascii: "0") || raw.count == 1 else { return nil }
    guard raw.count > shortDigits else { return shortInteger(raw, in: bytes) }
    var number: UInt64 = 0
    for index in raw.range {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      let (shifted, shiftOverflows) = number.multipliedReportingOverflow(by: 10)
      let (sum, sumOverflows) = shifted.addingReportingOverflow(UInt64(digit))
      guard !shiftOverflows, !sumOverflows else { return nil }
      number = sum
    }
    return number
  }

  /// So many digits cannot overflow.
  private static let shortDigits = 18

  @inline(always)
  private static func shortInteger(_ raw: ByteRange, in bytes: Span<UInt8>) -> UInt64? {
    precondition(Int(raw.upper) <= bytes.count, "the number lies in another span")
    var number: UInt64 = 0
    var position = Int(raw.lower)
    while position < Int(raw.upper) {
      // Below the upper end, which is inside the span.
      let digit = unsafe bytes[unchecked: position] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      number = number &* 10 &+ UInt64(digit)
      position &+= 1
    }
    return number
  }
}
