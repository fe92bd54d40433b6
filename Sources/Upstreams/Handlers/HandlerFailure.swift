package import JSONRPC

/// An error with its `data`, which a handler answers with.
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
  /// Its data.
  package func write<Sink: ByteSink & ~Copyable>(into sink: inout Sink) {
    sink.appendAsLine(data.span, data.indices)
  }
}
