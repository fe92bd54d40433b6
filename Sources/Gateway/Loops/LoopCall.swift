import Glibc
import Synchronization

/// What one thread asks of another and waits for.
@safe final class LoopCall<Value: Sendable>: Sendable {
  /// A loop that has not answered by then is stuck, or ends: nobody waits for it for ever.
  static var waitSeconds: Int { 2 }

  private let value = Mutex<Value?>(nil)
  /// Both are valid as long as this object. What is waited for is written while this is locked.
  private nonisolated(unsafe) let lock: UnsafeMutablePointer<pthread_mutex_t>
  private nonisolated(unsafe) let answered: UnsafeMutablePointer<pthread_cond_t>

  init() {
    unsafe lock = .allocate(capacity: 1)
    unsafe answered = .allocate(capacity: 1)
    unsafe pthread_mutex_init(lock, nil)
    // By a clock that nobody sets.
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(answered, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_cond_destroy(answered)
    unsafe pthread_mutex_destroy(lock)
    unsafe answered.deallocate()
    unsafe lock.deallocate()
  }

  func answer(_ value: Value) {
    unsafe pthread_mutex_lock(lock)
    self.value.withLock { $0 = value }
    unsafe pthread_cond_signal(answered)
    unsafe pthread_mutex_unlock(lock)
  }

  /// Nil: there was no answer in time.
  func wait() -> Value? {
    var until = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &until)
    until.tv_sec += Self.waitSeconds
    unsafe pthread_mutex_lock(lock)
    defer { unsafe pthread_mutex_unlock(lock) }
    while true {
      if let value = value.withLock({ $0 }) { return value }
      guard unsafe pthread_cond_timedwait(answered, lock, &until) == 0 else { return value.withLock { $0 } }
    }
  }
}
