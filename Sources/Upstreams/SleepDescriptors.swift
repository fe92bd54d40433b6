import Dispatch
import LibUV
import Synchronization

/// Owns the one moment in which libdispatch opens what sleeping takes: it traps when there is no descriptor left then.
enum SleepDescriptors {
  /// Its epoll, what wakes that, and a timer for each of three clocks.
  private static let count = 5
  /// Long enough that it is not over before a timer would be set.
  private static let moment = DispatchTimeInterval.milliseconds(2)
  /// Nothing waits so long but for a machine that stands still.
  private static let patience = DispatchTimeInterval.seconds(10)
  private static let areOpen = Mutex(false)

  /// Makes sure that handlers can sleep whatever clients take later; opened once, they stay.
  static func open() throws(UVError) {
    let failure: UVError? = areOpen.withLock { areOpen in
      if areOpen { return nil }
      if let error = DescriptorLimit.shortage(of: count) { return error }
      sleepOnEachClock()
      areOpen = true
      return nil
    }
    if let failure { throw failure }
  }

  private static func sleepOnEachClock() {
    let slept = DispatchSemaphore(value: 0)
    let queue = DispatchQueue.global()
    queue.asyncAfter(wallDeadline: .now() + moment) { slept.signal() }
    queue.asyncAfter(deadline: .now() + moment) { slept.signal() }
    Task {
      try? await Task.sleep(for: .milliseconds(2), clock: .continuous)
      slept.signal()
    }
    for _ in 0..<3 { _ = slept.wait(timeout: .now() + patience) }
  }
}
