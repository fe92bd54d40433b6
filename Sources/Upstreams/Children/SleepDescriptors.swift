import Dispatch
import LibUV
import Synchronization

/// Has libdispatch open the descriptors for `Task.sleep` early, while there are some. Without a descriptor for its loop
/// libdispatch traps; without one for a timer a sleep never ends.
enum SleepDescriptors {
  /// Its epoll, the eventfd that wakes it, and a timer for each of three clocks.
  private static let count = 5
  /// libdispatch opens a timer's descriptor only for a time in the future; this is far enough even on a machine that
  /// stands still meanwhile.
  private static let farSeconds = 3600
  private static let nearMilliseconds = 2
  /// Only a machine that stands still takes so long.
  private static let timeout = DispatchTimeInterval.seconds(10)
  private static let areOpen = Mutex(false)

  /// Makes sure that handlers can sleep, however many descriptors clients take later. Once opened, the descriptors
  /// stay.
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

  /// Waits for near timers: once they have fired, the far ones are set, too.
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
