import Glibc
import Synchronization

/// What one thread asks of another and waits for.
@safe final class LoopCall<Value: Sendable>: Sendable {
  /// A loop that has not answered by then is stuck, or ends: nobody waits for it for ever.
  static var waitSeconds: Int { 2 }

  private let value = Mutex<Value?>(nil)
  /// Valid as long as this object.
  private nonisolated(unsafe) let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    unsafe semaphore = .allocate(capacity: 1)
    unsafe sem_init(semaphore, 0, 0)
  }

  deinit {
    unsafe sem_destroy(semaphore)
    unsafe semaphore.deallocate()
  }

  func answer(_ value: Value) {
    self.value.withLock { $0 = value }
    unsafe sem_post(semaphore)
  }

  /// Nil: there was no answer in time.
  func wait() -> Value? {
    var until = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &until)
    until.tv_sec += Self.waitSeconds
    while unsafe sem_timedwait(semaphore, &until) != 0, errno == EINTR {}
    return value.withLock { $0 }
  }
}
