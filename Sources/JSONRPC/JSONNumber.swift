/// Reads numbers that are meant as counts, durations or ids of ours.
package enum JSONNumber {
  /// The number at `raw` if it is spelt in plain digits only and fits; no sign, fraction, exponent or
  /// leading zero.
  package static func nonNegativeInteger(_ raw: ByteRange, in bytes: Span<UInt8>) -> UInt64? {
    guard let first = raw.range.first else { return nil }
    guard bytes[first] != UInt8(ascii: "0") || raw.count == 1 else { return nil }
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
}
