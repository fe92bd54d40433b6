import Glibc

/// Counts, in debug builds, how often this thread has touched a record of a table: what an event costs in steps.
///
/// A test holds it against what the event is about: it must not grow with what others have there.
@usableFromInline package enum StepMeter {
  #if DEBUG
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    precondition(pthread_key_create(&key, nil) == 0, "no key for a thread's own number")
    return key
  }()

  /// So far, on this thread.
  package static var steps: Int { Int(bitPattern: pthread_getspecific(key)) }

  @usableFromInline
  static func step() { pthread_setspecific(key, UnsafeRawPointer(bitPattern: steps + 1)) }
  #else
  @inlinable @inline(__always)
  static func step() {}
  #endif
}
