/// A request or notification for a handler.
package struct HandlerRequest: Sendable {
  /// UTF-8, without quotes or escapes.
  package var method: [UInt8]
  /// JSON text as it stands in the message, an object or an array; empty if there are none.
  package var params: [UInt8]
  /// Gives its caller a part of the answer, as JSON text, before the answer; callers that do not take pieces get none.
  package var givePiece: @Sendable ([UInt8]) -> Void = { _ in }

  package init(method: [UInt8], params: [UInt8]) {
    self.method = method
    self.params = params
  }
}
