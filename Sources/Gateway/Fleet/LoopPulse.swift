import Fleet
import Synchronization

/// What a loop last said of itself.
final class LoopPulse: Sendable {
  private let milliseconds = Atomic<Int64>(BootClock.nowMilliseconds)
  private let isAsked = Atomic<Bool>(false)
  private let members = Mutex<Set<MemberID>>([])

  /// When that was, by `CLOCK_BOOTTIME`.
  var lastBeat: Int64 { milliseconds.load(ordering: .relaxed) }
  /// The other members that it is linked to, or, where it has the partitions, that are linked to it.
  var linked: Set<MemberID> { members.withLock { $0 } }

  /// Whether it is to be asked now: else it has not answered yet.
  func ask() -> Bool { !isAsked.exchange(true, ordering: .relaxed) }

  func beat(linked: Set<MemberID>) {
    members.withLock { $0 = linked }
    milliseconds.store(BootClock.nowMilliseconds, ordering: .relaxed)
    isAsked.store(false, ordering: .relaxed)
  }
}
