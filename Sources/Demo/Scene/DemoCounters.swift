import Synchronization

/// Counts what a demo handler did, from whatever thread it did it on.
package final class DemoCounters: Sendable {
  private let started = Atomic<Int>(0)
  private let cancelled = Atomic<Int>(0)
  private let busyNanoseconds = Atomic<UInt64>(0)

  package struct Snapshot: Hashable, Sendable {
    package var started = 0
    package var cancelled = 0
    /// Processor time that searches took, those cancelled too.
    package var busyMilliseconds = 0

    package init(started: Int = 0, cancelled: Int = 0, busyMilliseconds: Int = 0) {
      self.started = started
      self.cancelled = cancelled
      self.busyMilliseconds = busyMilliseconds
    }
  }

  package init() {}

  package var snapshot: Snapshot {
    Snapshot(
      started: started.load(ordering: .relaxed), cancelled: cancelled.load(ordering: .relaxed),
      busyMilliseconds: Int(busyNanoseconds.load(ordering: .relaxed) / 1_000_000))
  }

  func countStarted() { started.add(1, ordering: .relaxed) }
  func countCancelled() { cancelled.add(1, ordering: .relaxed) }
  func add(busyNanoseconds spent: UInt64) { busyNanoseconds.add(spent, ordering: .relaxed) }
}
