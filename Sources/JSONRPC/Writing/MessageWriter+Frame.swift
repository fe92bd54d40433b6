/// What stands around a message: a header before it, or a line end behind it.
extension MessageWriter {
  /// Begins a message of `byteCount` bytes, which is only asked for where a header says it.
  @inlinable @inline(__always)
  package static func openFrame<Sink: ByteSink & ~Copyable>(
    as framing: Framing, byteCount: @autoclosure () -> Int, into sink: inout Sink
  ) {
    guard framing == .contentLength else { return }
    sink.append("Content-Length: ")
    sink.append(decimal: UInt64(byteCount()))
    sink.append("\r\n\r\n")
  }

  @inlinable @inline(__always)
  package static func closeFrame<Sink: ByteSink & ~Copyable>(as framing: Framing, into sink: inout Sink) {
    if framing == .lines { sink.append("\n") }
  }
}
