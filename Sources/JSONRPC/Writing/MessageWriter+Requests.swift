/// Requests and notifications, as they go upstream.
extension MessageWriter {
  /// The part of a request up to its method; an absent id makes it a notification.
  @inlinable @inline(__always)
  package static func openRequest<Sink: ByteSink & ~Copyable>(_ id: UInt64?, into sink: inout Sink) {
    if let id {
      sink.append("{\"jsonrpc\":\"2.0\",\"id\":")
      sink.append(decimal: id)
      sink.append(",\"method\":")
    } else {
      sink.append("{\"jsonrpc\":\"2.0\",\"method\":")
    }
  }

  /// A request as a line; a notification without an id.
  /// - Parameter asked: the method, and, if there are params, `beforeParams` and these.
  @inlinable @inline(__always)
  package static func requestLine<Sink: ByteSink & ~Copyable>(
    _ id: UInt64?, asking asked: Span<UInt8>, into sink: inout Sink
  ) {
    openRequest(id, into: &sink)
    sink.append(asked)
    closeRequest(as: .lines, into: &sink)
  }

  /// What stands between a request's method and its params, if it has any.
  package static var beforeParams: StaticString { ",\"params\":" }

  @inlinable @inline(__always)
  package static func closeRequest<Sink: ByteSink & ~Copyable>(as framing: Framing, into sink: inout Sink) {
    if framing == .lines { sink.append("}\n") } else { sink.append("}") }
  }

  /// A `$/cancelRequest` as language servers know it (LSP 3.17, Cancellation Support), up to the id.
  package static func openCancelRequest<Sink: ByteSink & ~Copyable>(into sink: inout Sink) {
    sink.append("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":")
  }

  /// A `notifications/cancelled` of the Model Context Protocol (2025-06-18, Cancellation), up to the id.
  package static func openCancelledNotification<Sink: ByteSink & ~Copyable>(into sink: inout Sink) {
    sink.append("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":")
  }

  /// A request or notification as its peer gave it, under another id; an absent id makes it a notification.
  package static func relay<Sink: ByteSink & ~Copyable>(
    _ id: RequestID, _ bytes: Span<UInt8>, method: Range<Int>, params: Range<Int>, as framing: Framing,
    into sink: inout Sink
  ) {
    openFrame(
      as: framing, byteCount: relayByteCount(id, method: method, params: params), into: &sink)
    openRelay(id, into: &sink)
    sink.append(bytes, method)
    if !params.isEmpty {
      sink.append(beforeParams)
      if framing == .lines { sink.appendAsLine(bytes, params) } else { sink.append(bytes, params) }
    }
    closeRequest(as: framing, into: &sink)
  }

  /// A notification as its peer gave it, but for one place in its params.
  package static func notification(
    _ envelope: Envelope, in bytes: Span<UInt8>, replacing place: ByteRange, by text: Span<UInt8>
  ) -> [UInt8] {
    var notification: [UInt8] = []
    openRelay(RequestID(), into: &notification)
    notification.append(bytes, envelope.method.range)
    notification.append(beforeParams)
    notification.append(bytes, envelope.params.range.lowerBound..<place.range.lowerBound)
    notification.append(text)
    notification.append(bytes, place.range.upperBound..<envelope.params.range.upperBound)
    notification.append("}")
    return notification
  }

  package static func openRelay<Sink: ByteSink & ~Copyable>(_ id: RequestID, into sink: inout Sink) {
    sink.append("{\"jsonrpc\":\"2.0\",")
    if !id.isAbsent {
      sink.append("\"id\":")
      id.withBytes { sink.append($0) }
      sink.append(",")
    }
    sink.append("\"method\":")
  }

  package static func relayByteCount(_ id: RequestID, method: Range<Int>, params: Range<Int>) -> Int {
    var counter = ByteCounter()
    openRelay(id, into: &counter)
    if !params.isEmpty { counter.append(beforeParams) }
    counter.append("}")
    return counter.byteCount + method.count + params.count
  }

  /// A whole message of our own making; line breaks between its tokens do not end its line.
  package static func message<Sink: ByteSink & ~Copyable>(
    _ text: Span<UInt8>, as framing: Framing, into sink: inout Sink
  ) {
    openFrame(as: framing, byteCount: text.count, into: &sink)
    if framing == .lines { sink.appendAsLine(text, text.indices) } else { sink.append(text) }
    closeFrame(as: framing, into: &sink)
  }
}
