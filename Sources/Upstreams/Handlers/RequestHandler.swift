/// Swift code in the process that answers requests; superseding one cancels the `Task` it runs in.
package protocol RequestHandler: Sendable {
  /// Called on the loop for each request before its `Task` is made: as often as `answer`, which follows.
  func accept(_ request: HandlerRequest)

  /// - Returns: the result, as JSON text; that of a notification is dropped.
  /// - Throws: an `RPCError` or `HandlerFailure` becomes the answer; a `CancellationError` answers -32800, anything
  ///   else -32603.
  func answer(_ request: HandlerRequest) async throws -> [UInt8]
}

extension RequestHandler {
  package func accept(_ request: HandlerRequest) {}
}
