import Glibc

/// How much memory this process may use: the least of what the machine has and its control groups allow.
package enum MemoryLimit {
  /// - Parameter root: a prefix of `/proc` and `/sys`, for tests.
  package static func byteCount(root: String = "") -> Int? {
    ([machineBytes(root)] + groupBytes(root)).compactMap { $0 }.min()
  }

  private static func machineBytes(_ root: String) -> Int? {
    let line = lines(root + "/proc/meminfo").first { $0.hasPrefix("MemTotal:") }
    guard let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      return nil
    }
    return kibibytes * 1024
  }

  /// The limits of the process's own control group and of all above it.
  private static func groupBytes(_ root: String) -> [Int?] {
    lines(root + "/proc/self/cgroup").flatMap { line -> [Int?] in
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { return [] }
      if parts[0] == "0" && parts[1].isEmpty {
        return limits(root + "/sys/fs/cgroup", parts[2], "memory.max")
      }
      guard parts[1].split(separator: ",").contains("memory") else { return [] }
      return limits(root + "/sys/fs/cgroup/memory", parts[2], "memory.limit_in_bytes")
    }
  }

  /// In a container the path may be the one outside of it, of which only the root is visible here.
  private static func limits(_ mount: String, _ path: Substring, _ file: String) -> [Int?] {
    var directory = mount
    var limits = [limit(directory + "/" + file)]
    for part in path.split(separator: "/") {
      directory += "/" + part
      limits.append(limit(directory + "/" + file))
    }
    return limits
  }

  /// Nil without a limit: control groups of version 2 then say `max`. (Version 1 says a number larger than any
  /// machine's memory.)
  private static func limit(_ path: String) -> Int? { lines(path).first.flatMap { Int($0) } }

  private static func lines(_ path: String) -> [Substring] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while case let count = read(descriptor, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }
}
