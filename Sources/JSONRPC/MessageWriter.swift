/// Writes the messages of JSON-RPC 2.0, one a line, member by member; what came from a peer leaves byte for byte.
package enum MessageWriter {
  /// The answer with a result or an error object, as upstream gave it.
  @inlinable
  package static func answer<Sink: ByteSink & ~Copyable>(
    _ id: RequestID, isError: Bool, _ bytes: Span<UInt8>, _ body: Range<Int>, into sink: inout Sink
  ) {
    open(id, into: &sink)
    sink.append(isError ? ",\"error\":" : ",\"result\":")
    sink.append(bytes, body)
    sink.append("}\n")
  }

  /// An answer with an error of ours.
  package static func error<Sink: ByteSink & ~Copyable>(
    _ id: RequestID, _ error: RPCError, into sink: inout Sink
  ) {
    openError(id, error, into: &sink)
    sink.append("}}\n")
  }

  /// An answer with an error of ours and its `data` member, which `data` writes.
  @inlinable
  package static func error<Sink: ByteSink & ~Copyable>(
    _ id: RequestID, _ error: RPCError, into sink: inout Sink, data: (inout Sink) -> Void
  ) {
    openError(id, error, into: &sink)
    sink.append(",\"data\":")
    data(&sink)
    sink.append("}}\n")
  }

  @usableFromInline
  package static func openError<Sink: ByteSink & ~Copyable>(
    _ id: RequestID, _ error: RPCError, into sink: inout Sink
  ) {
    open(id, into: &sink)
    sink.append(",\"error\":{\"code\":")
    appendInteger(error.code, into: &sink)
    sink.append(",\"message\":")
    appendString(error.message, into: &sink)
  }

  /// The part of a request up to its params; an absent id makes it a notification.
  @inlinable
  package static func openRequest<Sink: ByteSink & ~Copyable>(_ id: UInt32?, into sink: inout Sink) {
    sink.append("{\"jsonrpc\":\"2.0\",")
    if let id {
      sink.append("\"id\":")
      sink.append(decimal: UInt64(id))
      sink.append(",")
    }
    sink.append("\"method\":")
  }

  /// A `$/cancelRequest` as language servers know it (LSP 3.17, Cancellation Support).
  package static func cancelRequest<Sink: ByteSink & ~Copyable>(_ id: UInt32, into sink: inout Sink) {
    sink.append("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":")
    sink.append(decimal: UInt64(id))
    sink.append("}}\n")
  }

  /// A `notifications/cancelled` of the Model Context Protocol (2025-06-18, Cancellation).
  package static func cancelledNotification<Sink: ByteSink & ~Copyable>(
    _ id: UInt32, into sink: inout Sink
  ) {
    sink.append("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":")
    sink.append(decimal: UInt64(id))
    sink.append("}}\n")
  }

  @inlinable
  package static func open<Sink: ByteSink & ~Copyable>(_ id: RequestID, into sink: inout Sink) {
    sink.append("{\"jsonrpc\":\"2.0\",\"id\":")
    if id.isAbsent { sink.append("null") } else { id.withBytes { sink.append($0) } }
  }

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
    sink.append(UInt8(ascii: "\""))
    for byte in bytes { appendEscaped(byte, into: &sink) }
    sink.append(UInt8(ascii: "\""))
  }

  private static func appendEscaped<Sink: ByteSink & ~Copyable>(_ byte: UInt8, into sink: inout Sink) {
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

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
