import Glibc

/// How many descriptors this process may have open.
package enum DescriptorLimit {
  private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }

  /// What holds; 0 if the system does not say.
  package static var current: Int {
    var limit = rlimit()
    return getrlimit(resource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : 0
  }

  /// Raises the soft limit to the hard one and returns what now holds.
  @discardableResult
  package static func raise() -> Int {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return 0 }
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
    return current
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
