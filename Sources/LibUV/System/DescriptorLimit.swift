import Glibc

/// How many descriptors this process may have open.
package enum DescriptorLimit {
  private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }

  /// What holds; 0 if the system does not say.
  package static var current: Int {
    var limit = rlimit()
    return getrlimit(resource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : 0
  }

  /// Raises the soft limit to the hard one and returns what now holds. Children begin with the former limit: programs
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

  /// What held before it was raised for the first time.
  nonisolated(unsafe) private static var original: rlimit?

  /// To be called before a child is started, when there is a loop.
  ///
  /// libuv has no place for this, but it forks, and the C library calls back in the child: after libuv, which makes a
  /// pipe there, since that was there before. To lower the limit here while a child is started would have whatever
  /// opens a file meanwhile fail, libuv first; to lower the child's from here, by `prlimit`, comes after it has begun.
  static func keepFromChildren() {
    if original != nil { isKeptFromChildren }
  }

  private static let isKeptFromChildren: Void = {
    pthread_atfork(nil, nil) { DescriptorLimit.restoreOriginal() }
  }()

  /// In a child that has not become its program yet, where nothing may be allocated.
  private static func restoreOriginal() {
    if var limit = original { setrlimit(resource, &limit) }
  }

  /// Of how many descriptors, the last ones, it is asked whether they are free: of a larger limit all would take long.
  private static let asked = 4096

  /// Whether so many can still be opened, without opening any: then there would be none for others meanwhile.
  ///
  /// The lowest free one is always taken first, so it is the last ones that are free.
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
