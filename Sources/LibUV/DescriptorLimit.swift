import Glibc

/// How many descriptors this process may have open.
package enum DescriptorLimit {
  /// Raises the soft limit to the hard one and returns what now holds.
  @discardableResult
  package static func raise() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
    var raised = limit
    raised.rlim_cur = limit.rlim_max
    if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
    return Int(clamping: limit.rlim_cur)
  }
}
