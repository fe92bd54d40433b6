import Glibc

/// How many descriptors this process may have open.
package enum DescriptorLimit {
  private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }

  /// The current limit; 0 if the system does not say.
  package static var current: Int {
    var limit = rlimit()
    return getrlimit(resource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : 0
  }

  /// Raises the soft limit to the hard one, and returns the new limit. Children begin with the former limit: programs
  /// that use `select`, or close every possible descriptor, need a small one.
  @discardableResult
  package static func raise() -> Int {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return 0 }
    if original == nil, limit.rlim_cur < limit.rlim_max { original = limit }
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
    return current
  }

  /// The limit before it was raised for the first time.
  nonisolated(unsafe) private static var original: rlimit?

  /// Gives children the original limit. To be called before a child is started, when there is a loop.
  ///
  /// libuv has no option for this, so it is done by a fork handler in the child. The handler runs after libuv's own,
  /// which opens a pipe there, since that was registered first. If this process lowered its own limit while it starts a
  /// child, whatever opens a file meanwhile would fail, libuv first. `prlimit` on the child would come after the
  /// program has begun.
  static func keepFromChildren() {
    if original != nil { isKeptFromChildren }
  }

  private static let isKeptFromChildren: Void = {
    pthread_atfork(nil, nil) { DescriptorLimit.restoreOriginal() }
  }()

  /// Runs in a forked child before `exec`, where nothing may be allocated.
  private static func restoreOriginal() {
    if var limit = original { setrlimit(resource, &limit) }
  }

  /// How many of the last descriptors are checked: checking all of a large limit would take long.
  private static let asked = 4096

  /// Whether so many descriptors can still be opened. It opens none, as those would be missing elsewhere meanwhile.
  ///
  /// The kernel always takes the lowest free descriptor, so the last ones are free the longest.
  package static func hasFree(_ count: Int) -> Bool {
    var free = 0
    var descriptor = Int32(clamping: current)
    let first = max(0, descriptor - Int32(asked))
    while free < count, descriptor > first {
      descriptor -= 1
      if fcntl(descriptor, F_GETFD) < 0 { free += 1 }
    }
    return free >= count
  }
}
