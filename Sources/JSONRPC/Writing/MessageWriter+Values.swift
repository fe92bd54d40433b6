/// JSON values of our own.
extension MessageWriter {
  package static func appendInteger<Sink: ByteSink & ~Copyable>(_ number: Int, into sink: inout Sink) {
    if number < 0 { sink.append("-") }
    sink.append(decimal: UInt64(number.magnitude))
  }

  /// Appends text as a JSON string (RFC 8259 section 7).
  package static func appendString<Sink: ByteSink & ~Copyable>(_ text: String, into sink: inout Sink) {
    sink.append(UInt8(ascii: "\""))
    for byte in text.utf8 { appendEscaped(byte, into: &sink) }
    sink.append(UInt8(ascii: "\""))
  }

  /// Appends UTF-8 bytes as a JSON string.
  package static func appendString<Sink: ByteSink & ~Copyable>(_ bytes: [UInt8], into sink: inout Sink) {
    appendString(bytes.span, into: &sink)
  }

  /// Appends UTF-8 bytes as a JSON string; what needs no escape between two that do goes in one piece.
  package static func appendString<Sink: ByteSink & ~Copyable>(_ bytes: Span<UInt8>, into sink: inout Sink) {
    sink.append(UInt8(ascii: "\""))
    var start = 0
    for index in bytes.indices where needsEscape(bytes[index]) {
      sink.append(bytes, start..<index)
      appendEscaped(bytes[index], into: &sink)
      start = index + 1
    }
    sink.append(bytes, start..<bytes.count)
    sink.append(UInt8(ascii: "\""))
  }

  package static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  package static func appendEscaped<Sink: ByteSink & ~Copyable>(_ byte: UInt8, into sink: inout Sink) {
    switch byte {
    case UInt8(ascii: "\""): sink.append("\\\"")
    case UInt8(ascii: "\\"): sink.append("\\\\")
    case 0x00..<0x20:
      sink.append("\\u00")
      sink.append(hexDigit(byte >> 4))
      sink.append(hexDigit(byte & 15))
    default: sink.append(byte)
    }
  }

  package static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
