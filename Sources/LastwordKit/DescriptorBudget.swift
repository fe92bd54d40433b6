import Glibc

/// Decides how many connections the process's file descriptors are good for: accepting must never be what fails.
enum DescriptorBudget {
  private static let fewestConnections = 16
  /// For the rest of the program.
  private static let reserved = 64

  static var connections: Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return fewestConnections
    }
    let descriptors = Int(clamping: limit.rlim_cur)
    return max(fewestConnections, descriptors - descriptors / 8 - reserved)
  }
}
