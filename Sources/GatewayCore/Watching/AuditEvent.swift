package import Identity

/// One event of the audit trail: something that a client did, or that was done to it.
package struct AuditEvent: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// It authenticated.
    case authenticated
    /// It presented a token that is nobody's.
    case authenticationFailed(LogInFault)
    /// It sent a request before it had authenticated.
    case unauthenticated
    /// It asked what its principal may not.
    case forbidden(reason: String)
    /// Its principal takes as much as it may.
    case overQuota(reason: String)
    /// It cancelled so many requests by key, or by a group of all of its principal's connections.
    case cancelled(label: [UInt8], isKey: Bool, count: Int)
    /// A reload took away what it was known by, or that has ended.
    case revoked(reason: String)
    /// The operator ended its connection.
    case evicted
  }

  package let kind: Kind
  /// Nil of a connection that was refused as it came.
  package let client: ClientID?
  /// How many connections there were before it, itself included.
  package let connection: UInt64?
  package let listener: Int
  /// Nil of nobody in particular.
  package let principal: String?
}
