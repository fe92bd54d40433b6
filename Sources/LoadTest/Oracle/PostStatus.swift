import JSONRPC

/// Which status of HTTP a reply may have: 200, unless the gateway itself refuses a request (decision 0042).
package enum PostStatus {
  /// - Parameter errorCode: the code of an error; nil: the reply is a result.
  package static func isRight(_ status: Int, errorCode: Int?) -> Bool {
    if status == 200 { return true }
    return switch errorCode {
    case RPCError.parseError.code: status == 400
    case RPCError.unauthenticated.code: status == 401
    case RPCError.forbidden.code: status == 403
    case RPCError.tooLarge.code: status == 413
    case RPCError.overloaded.code: status == 429 || status == 503
    case RPCError.shuttingDown.code, RPCError.upstreamUnavailable.code: status == 503 || status == 429
    default: false
    }
  }
}
