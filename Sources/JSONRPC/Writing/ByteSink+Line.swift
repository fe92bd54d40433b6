extension ByteSink where Self: ~Copyable {
  /// Appends JSON text with its line breaks as spaces, so that it stays in its line. They stand between tokens,
  /// where they mean nothing: no string of a text that was scanned holds one.
  @inlinable
  package mutating func appendAsLine(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    if bytes.hasLineBreak(in: range) {
      appendWithoutLineBreaks(bytes, range)
    } else {
      append(bytes, range)
    }
  }

  @inlinable
  package mutating func appendWithoutLineBreaks(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    var start = range.lowerBound
    for index in range where bytes[index] == UInt8(ascii: "\n") || bytes[index] == UInt8(ascii: "\r") {
      append(bytes, start..<index)
      append(UInt8(ascii: " "))
      start = index + 1
    }
    append(bytes, start..<range.upperBound)
  }
}

extension Span<UInt8> {
  @usableFromInline
  package func hasLineBreak(in range: Range<Int>) -> Bool {
    firstOffset(of: UInt8(ascii: "\n"), in: range) != nil
      || firstOffset(of: UInt8(ascii: "\r"), in: range) != nil
  }
}
