/// What those have to know later who answer for what clients did.
package struct AuditEvent: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// It said who it is.
    case authenticated
    /// It said with what is nobody's who it is.
    case authenticationFailed
    /// It asked before it had said who it is.
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
  package let client: ClientID
  /// How many connections there were before it, itself included.
  package let connection: UInt64
  package let listener: Int
  /// Nil of nobody in particular.
  package let principal: String?
}

/// What happened since it was last emptied; nothing is noted while nobody wants to know.
struct AuditTrail {
  /// So many events are noted in a turn; what is beyond is counted only.
  static let mostEvents = 256

  var isOpen = false
  private(set) var events: [AuditEvent] = []
  private(set) var leftOutCount: UInt64 = 0

  var isEmpty: Bool { events.isEmpty }

  mutating func note(_ event: AuditEvent) {
    guard events.count < Self.mostEvents else { return leftOutCount += 1 }
    events.append(event)
  }

  mutating func removeAll() {
    events = []
    leftOutCount = 0
  }
}
