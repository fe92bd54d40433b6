package import JSONRPC

/// An error with `data`, as the answer of a handler.
package struct HandlerFailure: Error {
  package var error: RPCError
  /// JSON text.
  package var data: [UInt8]

  package init(_ error: RPCError, data: [UInt8]) {
    self.error = error
    self.data = data
  }
}

extension HandlerFailure: JSONPart {
  /// Writes the data.
  package func write<Sink: ByteSink & ~Copyable>(into sink: inout Sink) {
    sink.appendAsLine(data.span, data.indices)
  }
}
