/// A client that may authenticate: its credentials, and what it may do.
///
/// Values beyond the bounds given here are the error ``GatewayError/Code/invalidPrincipal`` of
/// ``Gateway/run(onReady:)``.
///
/// ```swift
/// var ada = Principal("ada", tokens: ["sha256:5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5"])
/// ada.methods = ["search.*"]
/// var options = GatewayOptions()
/// options.authentication = .required([ada])
/// ```
public struct Principal: Sendable {
  /// The name of the principal in the log: 1 to 64 ASCII letters, digits, `-`, `_`, `.` or `@`. No two principals may
  /// have the same name.
  public var name: String

  /// Principals of the same namespace share keys: they supersede, cancel and inspect each other's requests. It has the
  /// form of a name. Nil, the default, stands for the principal's own name.
  public var namespace: String?

  /// The digests of its tokens, at most 16: `sha256:` and the 64 hexadecimal digits of a token's SHA-256, as
  /// `lastword token` prints them. They need a build with the package trait `TLS`.
  public var tokens: [String]

  /// The numeric ids (uid) of its users on this machine, at most 64. A client of such a user that connects to a Unix
  /// socket is this principal.
  public var users: [UInt32]

  /// The methods that it may call, at most 256: full names, or prefixes with a `*` at their end. Others are answered
  /// -32088. Nil, the default, stands for all methods.
  public var methods: [String]?

  /// The policies that its requests may have; a request with another is answered -32088. All by default.
  public var policies = Policy.allCases

  /// Whether it may cancel the requests of a key with `lastword.cancel`, those of other principals of its namespace
  /// included. True by default.
  public var mayCancelByKey = true

  /// Whether it may inspect keys with `lastword.inspect`. True by default.
  public var mayInspect = true

  /// Whether its requests may share the answer to a request of another principal. True by default.
  public var mayJoin = true

  /// A principal that may do everything. At least one token or user is needed.
  public init(_ name: String, tokens: [String] = [], users: [UInt32] = []) {
    self.name = name
    self.tokens = tokens
    self.users = users
  }
}
