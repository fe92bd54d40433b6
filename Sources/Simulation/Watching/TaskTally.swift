/// How often each kind of thing was told of tasks.
package struct TaskTally: Hashable, Sendable {
  package internal(set) var events: UInt64 = 0
  /// Events that found no place in the journal.
  package internal(set) var leftOut: UInt64 = 0

  var admitted: UInt64 = 0
  var joined: UInt64 = 0
  var followed: UInt64 = 0
  var rejected: UInt64 = 0
  var sent: UInt64 = 0
  var cancelSent: UInt64 = 0
  var superseded: UInt64 = 0
  var cancelled: UInt64 = 0
  var expired: UInt64 = 0
  /// Refused because the upstream was gone, or the gateway shut down.
  var failed: UInt64 = 0
  var abandoned: UInt64 = 0
  var answered: UInt64 = 0
  var ended: UInt64 = 0
  /// Callers who got a result, with the notifications that were handed over.
  var results: UInt64 = 0
  /// Callers who got upstream's error.
  var errors: UInt64 = 0
  /// Notifications that ended here.
  var unsentNotifications: UInt64 = 0
  /// Notifications that were sent, and of which no event told that they arrived.
  var undelivered: UInt64 = 0
  /// How long sent tasks had waited.
  var queueingMilliseconds: UInt64 = 0

  package init() {}

  /// Nothing was left out so far.
  var isWhole: Bool { leftOut == 0 }

  mutating func add(_ other: TaskTally) {
    events += other.events
    leftOut += other.leftOut
    admitted += other.admitted
    joined += other.joined
    followed += other.followed
    rejected += other.rejected
    sent += other.sent
    cancelSent += other.cancelSent
    superseded += other.superseded
    cancelled += other.cancelled
    expired += other.expired
    failed += other.failed
    abandoned += other.abandoned
    answered += other.answered
    ended += other.ended
    results += other.results
    errors += other.errors
    unsentNotifications += other.unsentNotifications
    undelivered += other.undelivered
    queueingMilliseconds += other.queueingMilliseconds
  }
}
