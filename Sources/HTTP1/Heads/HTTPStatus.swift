/// How a request ended, as HTTP numbers it.
package enum HTTPStatus: Int, CaseIterable, Sendable {
  case `continue` = 100
  case switchingProtocols = 101
  case ok = 200
  case accepted = 202
  case noContent = 204
  case badRequest = 400
  case unauthorized = 401
  case forbidden = 403
  case notFound = 404
  case methodNotAllowed = 405
  case notAcceptable = 406
  case requestTimeout = 408
  case contentTooLarge = 413
  case targetTooLong = 414
  case unsupportedMediaType = 415
  case expectationFailed = 417
  case misdirected = 421
  case upgradeRequired = 426
  case tooManyRequests = 429
  case headTooLarge = 431
  case notImplemented = 501
  case unavailable = 503
  case versionNotSupported = 505

  package var name: String {
    switch self {
    case .continue: "Continue"
    case .switchingProtocols: "Switching Protocols"
    case .ok: "OK"
    case .accepted: "Accepted"
    case .noContent: "No Content"
    case .badRequest: "Bad Request"
    case .unauthorized: "Unauthorized"
    case .forbidden: "Forbidden"
    case .notFound: "Not Found"
    case .methodNotAllowed: "Method Not Allowed"
    case .notAcceptable: "Not Acceptable"
    case .requestTimeout: "Request Timeout"
    case .contentTooLarge: "Content Too Large"
    case .targetTooLong: "URI Too Long"
    case .unsupportedMediaType: "Unsupported Media Type"
    case .expectationFailed: "Expectation Failed"
    case .misdirected: "Misdirected Request"
    case .upgradeRequired: "Upgrade Required"
    case .tooManyRequests: "Too Many Requests"
    case .headTooLarge: "Request Header Fields Too Large"
    case .notImplemented: "Not Implemented"
    case .unavailable: "Service Unavailable"
    case .versionNotSupported: "HTTP Version Not Supported"
    }
  }
}
