/// Mail from the loop with a member's partitions to a loop with clients. It counts only while the member surely has not
/// been declared dead: mail that was sent in time may arrive too late.
///
/// Times are milliseconds of `CLOCK_BOOTTIME`.
package struct LeasedMail: Sendable {
  private var until = Int64.min
  private var batches: [PeerBatch] = []

  package init() {}

  package var isEmpty: Bool { batches.isEmpty }

  /// The member cannot have been declared dead before that.
  package mutating func extend(until: Int64) { self.until = max(self.until, until) }

  package mutating func add(_ batch: PeerBatch) { batches.append(batch) }

  /// The next that may be heard now; nil: there is none.
  package mutating func take(at now: Int64) -> PeerBatch? {
    now < until && !batches.isEmpty ? batches.removeFirst() : nil
  }

  /// The member has been declared dead, or cannot be reached: nobody hears any of it.
  package mutating func forget() {
    batches = []
    until = .min
  }
}
