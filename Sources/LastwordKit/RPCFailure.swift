import JSONRPC

/// An error that a handler throws as the answer to its request.
///
/// ```swift
/// throw RPCFailure(code: 4, message: "no such box", data: Box(name: query.box))
/// ```
///
/// JSON-RPC 2.0 (section 5.1) reserves the codes from -32768 to -32000. Do not use the gateway's own codes (-32080 to
/// -32088, -32800 and -32801): clients would take the error for one of the gateway's.
public struct RPCFailure: Error, CustomStringConvertible {
  /// What happened, for programs.
  public var code: Int

  /// What happened, for people. If it is longer than 4096 Unicode scalars, the answer has so many and an ellipsis.
  public var message: String

  /// More about the error, which is encoded as JSON; nil for nothing. Data that cannot be encoded, or whose JSON is
  /// longer than ``GatewayOptions/messageBytes`` less 32 KiB, is left out, and logged.
  public var data: (any Encodable & Sendable)?

  /// - Parameters:
  ///   - code: What happened, for programs.
  ///   - message: What happened, for people.
  ///   - data: More about the error, which is encoded as JSON.
  public init(code: Int, message: String, data: (any Encodable & Sendable)? = nil) {
    self.code = code
    self.message = message
    self.data = data
  }

  /// The error -32602 (JSON-RPC 2.0, section 5.1): the params are not what the method takes.
  ///
  /// - Parameter message: What is wrong with them, for people.
  public static func invalidParams(_ message: String) -> RPCFailure {
    RPCFailure(code: RPCError.invalidParams.code, message: message)
  }

  /// The code and the message.
  public var description: String { "\(code) \(message)" }

  private static let messageLimitScalars = 4096

  var error: RPCError { RPCError(code: code, message: message.cut(toScalars: Self.messageLimitScalars)) }
}
