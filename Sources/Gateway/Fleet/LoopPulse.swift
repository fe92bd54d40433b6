import Synchronization

/// When a loop did something last, by `CLOCK_BOOTTIME`.
final class LoopPulse: Sendable {
  private let milliseconds = Atomic<Int64>(BootClock.nowMilliseconds)

  var lastBeat: Int64 { milliseconds.load(ordering: .relaxed) }
  func beat() { milliseconds.store(BootClock.nowMilliseconds, ordering: .relaxed) }
}
