import Glibc

/// Decides how many client connections the process's limit of file descriptors allows, so that accepting never fails.
enum DescriptorBudget {
  private static let fewestConnections = 16
  /// Descriptors for the rest of the program, besides an eighth of them all.
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
