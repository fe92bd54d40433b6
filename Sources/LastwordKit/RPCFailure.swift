import JSONRPC

/// An error that a handler throws to be its answer.
///
/// ```swift
/// throw RPCFailure(code: 4, message: "no such box", data: Box(name: query.box))
/// ```
///
/// JSON-RPC keeps the codes from -32768 to -32000 for itself. Codes of the gateway's own (-32080 to -32086 and
/// -32800) make clients believe that it was the gateway who answered.
public struct RPCFailure: Error, CustomStringConvertible {
  /// What happened, for programs.
  public var code: Int

  /// What happened, for people; cut when it is longer than 4096 Unicode scalars.
  public var message: String

  /// More about it, which is encoded as JSON; nil for nothing.
  public var data: (any Encodable & Sendable)?

  /// - Parameters:
  ///   - code: What happened, for programs.
  ///   - message: What happened, for people.
  ///   - data: More about it, which is encoded as JSON.
  public init(code: Int, message: String, data: (any Encodable & Sendable)? = nil) {
    self.code = code
    self.message = message
    self.data = data
  }

  /// The error -32602: the params are not what the method takes.
  public static func invalidParams(_ message: String) -> RPCFailure {
    RPCFailure(code: RPCError.invalidParams.code, message: message)
  }

  /// The code and the message.
  public var description: String { "\(code) \(message)" }

  private static let messageLimitScalars = 4096

  var error: RPCError { RPCError(code: code, message: message.cut(toScalars: Self.messageLimitScalars)) }
}
