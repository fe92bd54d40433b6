/// The decimal digits of a number.
package struct DecimalText {
  package let digits: InlineArray<20, UInt8>
  /// Where in `digits` they are.
  package let range: Range<Int>

  package init(_ number: UInt64) {
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var start = 20
    var rest = number
    func put(_ digit: UInt64) {
      start &-= 1
      digits[start] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit)
    }
    // Two digits for each long division.
    while rest >= 10 {
      let hundreds = rest / 100
      let two = rest &- hundreds &* 100
      let ten = two / 10
      put(two &- ten &* 10)
      put(ten)
      rest = hundreds
    }
    // What is left is one digit, or was the end of an even count of them.
    if rest > 0 || start == 20 { put(rest) }
    range = start..<20
    self.digits = digits
  }
}
