// Reading the environment is unsafe only where it is changed, which nothing in this process does.
@unsafe @preconcurrency import Glibc

/// The variables that the process was started with.
enum ConfigEnvironment {
  static func variables() -> [String: String] {
    var result: [String: String] = [:]
    // An array of C strings that ends with nil.
    var next = unsafe environ
    while let entry = unsafe next.pointee {
      let parts = unsafe String(cString: entry).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { result[String(parts[0])] = String(parts[1]) }
      unsafe next += 1
    }
    return result
  }
}
