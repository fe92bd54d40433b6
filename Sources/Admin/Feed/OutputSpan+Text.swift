import HotData
import JSONRPC

/// Appends text to memory that was reserved for all of it.
extension OutputSpan where Element == UInt8 {
  @inline(__always)
  mutating func append(_ text: StaticString) {
    for index in 0..<text.utf8CodeUnitCount { append(text.byte(at: index)) }
  }

  mutating func append(_ bytes: Span<UInt8>) {
    for index in bytes.indices { append(bytes[index]) }
  }

  /// Appends at most twenty bytes.
  mutating func append(decimal number: UInt64) {
    let digits = DecimalDigits(number)
    if let leading = digits.leading { append(decimal: leading) }
    let text = digits.last.littleEndian
    for index in 0..<digits.lastCount { append(UInt8(truncatingIfNeeded: text &>> UInt64(8 * index))) }
  }

  /// Appends a JSON string (RFC 8259 section 7): at most six bytes for each byte, and two quotes.
  mutating func append(jsonString bytes: Span<UInt8>) {
    guard bytes.indices.contains(where: { MessageWriter.needsEscape(bytes[$0]) }) else {
      append(UInt8(ascii: "\""))
      append(bytes)
      return append(UInt8(ascii: "\""))
    }
    var escaped: [UInt8] = []
    MessageWriter.appendString(bytes, into: &escaped)
    append(escaped.span)
  }
}
