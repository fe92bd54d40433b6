import JSONRPC

/// Names the errors that a gateway answers with.
enum ErrorName {
  private static let known: [RPCError] = [
    .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError, .cancelled,
    .contentModified,
    .superseded, .busy, .overloaded, .deadlineExceeded, .upstreamUnavailable, .shuttingDown, .tooLarge,
    .unauthenticated, .forbidden,
  ]

  /// nil for an upstream's own code.
  static func text(_ code: Int) -> String? { known.first { $0.code == code }?.message }
}
