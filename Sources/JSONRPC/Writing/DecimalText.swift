/// The decimal digits of a number.
package struct DecimalText {
  package private(set) var digits = InlineArray<20, UInt8>(repeating: 0)
  /// Where in `digits` they are.
  package let range: Range<Int>

  package init(_ number: UInt64) {
    var start = 20
    var rest = number
    repeat {
      start -= 1
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
      rest = quotient
    } while rest > 0
    range = start..<20
  }
}
