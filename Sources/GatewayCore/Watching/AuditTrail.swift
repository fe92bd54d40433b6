/// What happened since it was last emptied; nothing is noted while nobody wants to know.
struct AuditTrail {
  /// Of each group so many events are noted in a turn, and so many in a second; what is beyond is counted only.
  static let mostEvents = 256
  static let eventsPerSecond = 500

  /// So that a flood of one of these does not push out the others.
  private enum Group: Int, CaseIterable {
    /// Clients that have not authenticated; known clients that were refused.
    case strangers, refused
    /// Each POST logs in.
    case logIns
    case cancels
    /// Connections that were ended from outside.
    case ended

    init(_ kind: AuditEvent.Kind) {
      switch kind {
      case .authenticationFailed, .unauthenticated: self = .strangers
      case .forbidden, .overQuota: self = .refused
      case .authenticated: self = .logIns
      case .cancelled: self = .cancels
      case .revoked, .evicted: self = .ended
      }
    }
  }

  var isOpen = false
  private var tokens = Group.allCases.map { _ in TokenBucket(rate: eventsPerSecond) }
  private var counts = Group.allCases.map { _ in 0 }
  private(set) var events: [AuditEvent] = []
  private(set) var leftOutCount: UInt64 = 0

  var isEmpty: Bool { events.isEmpty }

  /// Notes an event if there is room for it; else it is only counted.
  mutating func hasNoted(_ event: AuditEvent, at nowMilliseconds: UInt64) -> Bool {
    let group = Group(event.kind).rawValue
    guard counts[group] < Self.mostEvents, tokens[group].wait(at: nowMilliseconds) == 0 else {
      leftOutCount += 1
      return false
    }
    tokens[group].take(1, at: nowMilliseconds)
    counts[group] += 1
    events.append(event)
    return true
  }

  mutating func removeAll() {
    events = []
    for group in counts.indices { counts[group] = 0 }
    leftOutCount = 0
  }
}
