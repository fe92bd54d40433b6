/// An error object of JSON-RPC 2.0 (section 5.1), without its `data`.
package struct RPCError: Error, Hashable, Sendable {
  package var code: Int
  package var message: String

  package init(code: Int, message: String) {
    self.code = code
    self.message = message
  }

  /// The same error, told in other words.
  package func with(message: String) -> RPCError { RPCError(code: code, message: message) }
}

/// Every error that the gateway itself answers with.
extension RPCError {
  package static let parseError = RPCError(code: -32700, message: "parse error")
  package static let invalidRequest = RPCError(code: -32600, message: "invalid request")
  package static let methodNotFound = RPCError(code: -32601, message: "method not found")
  package static let invalidParams = RPCError(code: -32602, message: "invalid params")
  package static let internalError = RPCError(code: -32603, message: "internal error")
  package static let cancelled = RPCError(code: -32800, message: "cancelled")
  package static let contentModified = RPCError(code: -32801, message: "content modified before it was sent")
  package static let superseded = RPCError(code: -32080, message: "superseded by a newer request")
  package static let busy = RPCError(code: -32081, message: "busy with earlier work")
  package static let overloaded = RPCError(code: -32082, message: "overloaded")
  package static let deadlineExceeded = RPCError(code: -32083, message: "deadline exceeded")
  package static let upstreamUnavailable = RPCError(code: -32084, message: "upstream unavailable")
  package static let badAnswer = upstreamUnavailable.with(message: "upstream's answer cannot be read")
  package static let shuttingDown = RPCError(code: -32085, message: "shutting down")
  package static let unauthenticated = RPCError(code: -32087, message: "unauthenticated")
  package static let forbidden = RPCError(code: -32088, message: "forbidden")
  package static let tooLarge = RPCError(code: -32086, message: "message too large")
}
