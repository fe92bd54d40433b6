/// What happened since it was last emptied; nothing is noted while nobody wants to know.
struct AuditTrail {
  /// So many events are noted in a turn, and of each kind of people so many in a second; what is beyond is counted only.
  static let mostEvents = 256
  static let eventsPerSecond = 500

  /// So that a flood of one of these does not push out the others.
  private enum Source: Int, CaseIterable {
    /// Clients that have not authenticated; known clients that were refused; clients that were served, or ended.
    case strangers, refused, served

    init(_ kind: AuditEvent.Kind) {
      switch kind {
      case .authenticationFailed, .unauthenticated: self = .strangers
      case .forbidden, .overQuota: self = .refused
      case .authenticated, .cancelled, .revoked, .evicted: self = .served
      }
    }
  }

  var isOpen = false
  private var tokens = Source.allCases.map { _ in TokenBucket(rate: eventsPerSecond) }
  private(set) var events: [AuditEvent] = []
  private(set) var leftOutCount: UInt64 = 0

  var isEmpty: Bool { events.isEmpty }

  /// Notes an event if there is room for it; else it is only counted.
  mutating func hasNoted(_ event: AuditEvent, at nowMilliseconds: UInt64) -> Bool {
    let source = Source(event.kind).rawValue
    guard events.count < Self.mostEvents, tokens[source].wait(at: nowMilliseconds) == 0 else {
      leftOutCount += 1
      return false
    }
    tokens[source].take(1, at: nowMilliseconds)
    events.append(event)
    return true
  }

  mutating func removeAll() {
    events = []
    leftOutCount = 0
  }
}
