import CLibUV
import Glibc

/// How many descriptors the process may have open.
package enum DescriptorLimit {
  /// Raises the soft limit to the hard one.
  /// - Returns: the soft limit as it is then.
  package static func raise() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    let soft = limit.rlim_cur
    limit.rlim_cur = limit.rlim_max
    guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return Int(clamping: soft) }
    return Int(clamping: limit.rlim_cur)
  }
}

extension EventLoop {
  /// libuv keeps a descriptor in reserve, and when there are none left it accepts connections with it only to
  /// close them at once, without a word. We would rather let them wait in the backlog: see `Listener`.
  func giveUpReserveDescriptor() {
    guard raw.pointee.emfile_fd >= 0 else { return }
    close(raw.pointee.emfile_fd)
    raw.pointee.emfile_fd = -1
  }
}
