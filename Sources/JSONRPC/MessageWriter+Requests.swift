/// Requests and notifications, as they go upstream.
extension MessageWriter {
  /// The part of a request up to its method; an absent id makes it a notification.
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

  /// What stands between a request's method and its params, if it has any.
  @inlinable
  package static func openParams<Sink: ByteSink & ~Copyable>(into sink: inout Sink) {
    sink.append(",\"params\":")
  }

  @inlinable
  package static func closeRequest<Sink: ByteSink & ~Copyable>(as framing: Framing, into sink: inout Sink) {
    sink.append("}")
    closeFrame(as: framing, into: &sink)
  }

  /// The bytes of a request without its frame. The method is counted with its quotes; without params they are 0.
  package static func requestByteCount(_ id: UInt32?, methodByteCount: Int, paramsByteCount: Int) -> Int {
    var counter = ByteCounter()
    openRequest(id, into: &counter)
    if paramsByteCount > 0 { openParams(into: &counter) }
    counter.append("}")
    return counter.byteCount + methodByteCount + paramsByteCount
  }

  /// A `$/cancelRequest` as language servers know it (LSP 3.17, Cancellation Support).
  @inlinable
  package static func cancelRequest<Sink: ByteSink & ~Copyable>(
    _ id: UInt32, as framing: Framing = .lines, into sink: inout Sink
  ) {
    notification(
      "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":", id, as: framing, into: &sink)
  }

  /// A `notifications/cancelled` of the Model Context Protocol (2025-06-18, Cancellation).
  @inlinable
  package static func cancelledNotification<Sink: ByteSink & ~Copyable>(
    _ id: UInt32, as framing: Framing = .lines, into sink: inout Sink
  ) {
    notification(
      "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":", id,
      as: framing,
      into: &sink)
  }

  /// `beginning` is everything before the number in the params.
  @inlinable
  package static func notification<Sink: ByteSink & ~Copyable>(
    _ beginning: StaticString, _ number: UInt32, as framing: Framing, into sink: inout Sink
  ) {
    var counter = ByteCounter()
    counter.append(beginning)
    counter.append(decimal: UInt64(number))
    counter.append("}}")
    openFrame(as: framing, byteCount: counter.byteCount, into: &sink)
    sink.append(beginning)
    sink.append(decimal: UInt64(number))
    sink.append("}}")
    closeFrame(as: framing, into: &sink)
  }
}
