import Glibc
import Synchronization

/// Whether this member may act for the partitions that it has: said by who asks the engine, and asked, on other threads,
/// before anything is decided and before anything leaves.
final class FleetGate: Sendable {
  /// What stands between a loop and its acts is looked at so often while it waits.
  private static let pauseMicroseconds: UInt32 = 2_000

  /// What the loop does while it stands still.
  private struct Looks {
    var isWaiting = false
    var bodies: [@Sendable () -> Void] = []

    mutating func take() -> [@Sendable () -> Void] {
      defer { bodies = [] }
      return bodies
    }
  }

  private let untilMilliseconds = Atomic<Int64>(.min)
  /// Counts the member's declared deaths: what was decided in an earlier life counts in none.
  private let lives = Atomic<Int>(0)
  private let over = Atomic<Bool>(false)
  private let looks = Mutex(Looks())

  /// Milliseconds of `CLOCK_BOOTTIME`.
  var until: Int64 { untilMilliseconds.load(ordering: .acquiring) }
  var life: Int { lives.load(ordering: .acquiring) }
  /// The loop with the partitions stands still at the moment.
  var isHolding: Bool { looks.withLock { $0.isWaiting } }
  /// The member has left the fleet: nobody asks any more.
  var isOver: Bool { over.load(ordering: .acquiring) }

  func set(until: Int64) { untilMilliseconds.store(until, ordering: .releasing) }

  /// The member has been declared dead.
  func beginLife() {
    set(until: .min)
    lives.wrappingAdd(1, ordering: .releasing)
  }

  func end() { over.store(true, ordering: .releasing) }

  private func mayAct(_ life: Int) -> Bool {
    BootClock.nowMilliseconds < until || self.life != life || isOver
  }

  /// Whether output of a life may be written.
  func mayFlush(in life: Int) -> Bool {
    // A life begins before its first permit.
    (BootClock.nowMilliseconds < until || isOver) && self.life == life
  }

  /// Has the loop with the partitions look at itself while it stands still; returns whether it does.
  /// - Parameter body: decides nothing.
  func look(_ body: @escaping @Sendable () -> Void) -> Bool {
    looks.withLock { looks in
      if looks.isWaiting { looks.bodies.append(body) }
      return looks.isWaiting
    }
  }

  /// Stands still until the member may act, or has been declared dead since a life, or has left.
  /// - Returns: whether it stood still.
  func wait(in life: Int) -> Bool {
    guard !mayAct(life) else { return false }
    looks.withLock { $0.isWaiting = true }
    repeat {
      usleep(Self.pauseMicroseconds)
      for body in looks.withLock({ $0.take() }) { body() }
    } while !mayAct(life)
    let rest = looks.withLock { looks in
      looks.isWaiting = false
      return looks.take()
    }
    for body in rest { body() }
    return true
  }
}
