/// A client that a gateway with log-ins knows: its credentials, and what it may do.
///
/// ```swift
/// var ada = Principal("ada", tokens: ["sha256:5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5"])
/// ada.methods = ["search.*"]
/// var options = GatewayOptions()
/// options.authentication = .required([ada])
/// ```
public struct Principal: Sendable {
  /// What the log calls it: 1 to 64 letters, digits, `-`, `_`, `.` or `@`. No two have the same.
  public var name: String

  /// Principals of one namespace share keys: they supersede, cancel and inspect each other's requests. Formed as names
  /// are; the principal's own name if nil, the default, so that nobody shares with it.
  public var namespace: String?

  /// What its tokens are known by, 16 at most: `sha256:` and the 64 hexadecimal digits of a token's SHA-256, as
  /// `lastword token` prints them. They take a build with the package trait `TLS`.
  public var tokens: [String]

  /// Numbers of users of this machine who are it when they connect to a Unix socket, 64 at most.
  public var users: [UInt32]

  /// The methods that it may call, 256 at most: full names, or the beginning of several and a `*`. Any, if nil, the
  /// default; others are answered -32088.
  public var methods: [String]?

  /// The policies that its requests may have. All by default; others are answered -32088.
  public var policies = Policy.allCases

  /// Whether it may cancel by key (`lastword.cancel`) what others of its namespace asked.
  public var mayCancelByKey = true

  /// Whether it may inspect keys (`lastword.inspect`).
  public var mayInspect = true

  /// Whether its requests may share the answer to another's.
  public var mayJoin = true

  /// One who is known by those tokens and users, of which there has to be one, and may do everything.
  public init(_ name: String, tokens: [String] = [], users: [UInt32] = []) {
    self.name = name
    self.tokens = tokens
    self.users = users
  }
}
