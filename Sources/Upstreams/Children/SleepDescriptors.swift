import Dispatch
import LibUV
import Synchronization

/// Owns the one moment in which libdispatch opens what sleeping takes: without a descriptor for its loop it traps,
/// without one for a timer the sleep never ends.
enum SleepDescriptors {
  /// Its epoll, what wakes that, and a timer for each of three clocks.
  private static let count = 5
  /// A timer is opened for what is still to come, however long this process is kept waiting meanwhile.
  private static let farSeconds = 3600
  private static let nearMilliseconds = 2
  /// Nothing waits so long but for a machine that stands still.
  private static let timeout = DispatchTimeInterval.seconds(10)
  private static let areOpen = Mutex(false)

  /// Makes sure that handlers can sleep whatever clients take later; opened once, they stay.
  static func open() throws(UVError) {
    let isOpen = areOpen.withLock { areOpen in
      if !areOpen, DescriptorLimit.hasFree(count) {
        sleepOnEachClock()
        areOpen = true
      }
      return areOpen
    }
    if !isOpen { throw .noDescriptor }
  }

  private static func sleepOnEachClock() {
    let far = [DispatchSource.makeTimerSource(), DispatchSource.makeTimerSource()]
    far[0].schedule(deadline: .now() + .seconds(farSeconds))
    far[1].schedule(wallDeadline: .now() + .seconds(farSeconds))
    for timer in far { timer.resume() }
    let sleeper = Task { try? await Task.sleep(for: .seconds(farSeconds), clock: .continuous) }
    awaitNearTimers()
    for timer in far { timer.cancel() }
    sleeper.cancel()
  }

  /// When they are over, those before them have been set.
  private static func awaitNearTimers() {
    let slept = DispatchSemaphore(value: 0)
    let near = DispatchTimeInterval.milliseconds(nearMilliseconds)
    DispatchQueue.global().asyncAfter(deadline: .now() + near) { slept.signal() }
    DispatchQueue.global().asyncAfter(wallDeadline: .now() + near) { slept.signal() }
    Task {
      try? await Task.sleep(for: .milliseconds(nearMilliseconds), clock: .continuous)
      slept.signal()
    }
    for _ in 0..<3 { _ = slept.wait(timeout: .now() + timeout) }
  }
}
