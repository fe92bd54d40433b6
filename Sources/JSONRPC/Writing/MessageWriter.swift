/// Writes the answers of JSON-RPC 2.0, member by member; what came from a peer leaves byte for byte.
///
/// What is called an object is written without header or line end, for a batch.
@usableFromInline
package enum MessageWriter {
  /// The answer with a result or an error object, as upstream gave it.
  /// - Parameter isFreeOfLineBreaks: whether it is known that nothing in the body could end a line.
  @inlinable @inline(__always)
  package static func answer<Sink: ByteSink & ~Copyable>(
    _ id: RequestID, isError: Bool, _ bytes: Span<UInt8>, _ body: Range<Int>,
    isFreeOfLineBreaks: Bool = false, as framing: Framing = .lines, into sink: inout Sink
  ) {
    openFrame(
      as: framing, byteCount: answerByteCount(id, isError: isError, bodyByteCount: body.count), into: &sink)
    answerObject(
      id, isError: isError, bytes, body, isFreeOfLineBreaks: isFreeOfLineBreaks, as: framing, into: &sink)
    closeFrame(as: framing, into: &sink)
  }

  /// More than stands around the body of an answer with a short id, or around what a request asks, in a line of its own.
  @inlinable
  package static var surroundingBytes: Int { ShortRequestID.limitBytes + 64 }

  /// The answer as a line, its body free of line breaks.
  @inlinable @inline(__always)
  package static func answerLine<Sink: ByteSink & ~Copyable>(
    _ id: ShortRequestID, isError: Bool, _ bytes: Span<UInt8>, _ body: Range<Int>, into sink: inout Sink
  ) {
    sink.append("{\"jsonrpc\":\"2.0\",\"id\":")
    id.write(into: &sink)
    openBody(isError: isError, into: &sink)
    sink.append(bytes, body)
    sink.append("}\n")
  }

  @inlinable @inline(__always)
  package static func answerObject<Sink: ByteSink & ~Copyable>(
    _ id: RequestID, isError: Bool, _ bytes: Span<UInt8>, _ body: Range<Int>,
    isFreeOfLineBreaks: Bool = false, as framing: Framing, into sink: inout Sink
  ) {
    openAnswer(id, isError: isError, into: &sink)
    if framing == .lines && !isFreeOfLineBreaks {
      sink.appendAsLine(bytes, body)
    } else {
      sink.append(bytes, body)
    }
    sink.append("}")
  }

  @usableFromInline
  package static func answerByteCount(_ id: RequestID, isError: Bool, bodyByteCount: Int) -> Int {
    var counter = ByteCounter()
    openAnswer(id, isError: isError, into: &counter)
    counter.append("}")
    return counter.byteCount + bodyByteCount
  }

  /// An answer with an error of ours.
  package static func error<Sink: ByteSink & ~Copyable>(
    _ id: RequestID, _ error: RPCError, as framing: Framing = .lines, into sink: inout Sink
  ) {
    openFrame(as: framing, byteCount: errorByteCount(id, error), into: &sink)
    errorObject(id, error, into: &sink)
    closeFrame(as: framing, into: &sink)
  }

  /// An answer with an error of ours and its `data` member.
  package static func error<Data: JSONPart, Sink: ByteSink & ~Copyable>(
    _ id: RequestID, _ error: RPCError, data: Data, as framing: Framing = .lines, into sink: inout Sink
  ) {
    openFrame(as: framing, byteCount: errorByteCount(id, error, data: data), into: &sink)
    errorObject(id, error, data: data, into: &sink)
    closeFrame(as: framing, into: &sink)
  }

  package static func errorObject<Sink: ByteSink & ~Copyable>(
    _ id: RequestID, _ error: RPCError, into sink: inout Sink
  ) {
    openError(id, error, into: &sink)
    sink.append("}}")
  }

  package static func errorObject<Data: JSONPart, Sink: ByteSink & ~Copyable>(
    _ id: RequestID, _ error: RPCError, data: Data, into sink: inout Sink
  ) {
    openError(id, error, into: &sink)
    sink.append(",\"data\":")
    data.write(into: &sink)
    sink.append("}}")
  }

  package static func errorByteCount(_ id: RequestID, _ error: RPCError) -> Int {
    var counter = ByteCounter()
    errorObject(id, error, into: &counter)
    return counter.byteCount
  }

  package static func errorByteCount<Data: JSONPart>(
    _ id: RequestID, _ error: RPCError, data: Data
  ) -> Int {
    var counter = ByteCounter()
    errorObject(id, error, data: data, into: &counter)
    return counter.byteCount
  }
}

extension MessageWriter {
  @inlinable @inline(__always)
  package static func open<Sink: ByteSink & ~Copyable>(_ id: RequestID, into sink: inout Sink) {
    sink.append("{\"jsonrpc\":\"2.0\",\"id\":")
    if id.isAbsent { sink.append("null") } else { id.withBytes { sink.append($0) } }
  }

  @inlinable @inline(__always)
  package static func openAnswer<Sink: ByteSink & ~Copyable>(
    _ id: RequestID, isError: Bool, into sink: inout Sink
  ) {
    open(id, into: &sink)
    openBody(isError: isError, into: &sink)
  }

  @inlinable @inline(__always)
  package static func openBody<Sink: ByteSink & ~Copyable>(isError: Bool, into sink: inout Sink) {
    // Two literals of known lengths: they are written by a store or two each.
    if isError { sink.append(",\"error\":") } else { sink.append(",\"result\":") }
  }

  package static func openError<Sink: ByteSink & ~Copyable>(
    _ id: RequestID, _ error: RPCError, into sink: inout Sink
  ) {
    open(id, into: &sink)
    sink.append(",\"error\":{\"code\":")
    appendInteger(error.code, into: &sink)
    sink.append(",\"message\":")
    appendString(error.message, into: &sink)
  }
}
