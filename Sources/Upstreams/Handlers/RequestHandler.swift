/// Swift code in the process that answers requests; superseding one cancels the `Task` it runs in.
package protocol RequestHandler: Sendable {
  /// Called on the loop for each request before its `Task` is made: as often as `answer`, which follows.
  func accept(_ request: HandlerRequest)

  /// - Returns: the result, as JSON text; of a notification nobody reads it.
  /// - Throws: an `RPCError` or `HandlerFailure` becomes the answer; a `CancellationError` answers -32800, anything
  ///   else -32603.
  func answer(_ request: HandlerRequest) async throws -> [UInt8]
}

extension RequestHandler {
  package func accept(_ request: HandlerRequest) {}
}

/// What a handler is asked: both parts as they stand in the message.
package struct HandlerRequest: Sendable {
  /// UTF-8, without quotes or escapes.
  package var method: [UInt8]
  /// JSON text, an object or an array; empty if there are none.
  package var params: [UInt8]
  /// Gives its caller some of the answer, as JSON text, before the answer; nobody gets it who does not take pieces.
  package var givePiece: @Sendable ([UInt8]) -> Void = { _ in }

  package init(method: [UInt8], params: [UInt8]) {
    self.method = method
    self.params = params
  }
}
