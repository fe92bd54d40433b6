import Foundation
import LibUV
import TestSupport
import Testing

/// How much memory a process may use, as the system tells it.
@Suite struct MemoryLimitTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func limit(_ files: [String: String]) throws -> Int? {
    for (path, text) in files {
      let url = URL(fileURLWithPath: directory.path + path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: url, atomically: true, encoding: .utf8)
    }
    return MemoryLimit.byteCount(root: directory.path)
  }

  private static let machine = ["/proc/meminfo": "MemTotal:       16000 kB\nMemFree: 1 kB\n"]

  @Test func `the machine's memory is the bound where there is no other`() throws {
    #expect(try limit(Self.machine) == 16_000 * 1_024)
  }

  @Test func `the smallest of a group and those above it counts`() throws {
    let files = [
      "/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/memory.max": "max\n",
      "/sys/fs/cgroup/a/memory.max": "5000000\n", "/sys/fs/cgroup/a/b/memory.max": "6000000\n",
    ]
    #expect(try limit(files.merging(Self.machine) { $1 }) == 5_000_000)
  }

  @Test func `in a container the path is the machine's, and the root is its own`() throws {
    let files = ["/proc/self/cgroup": "0::/docker/0123\n", "/sys/fs/cgroup/memory.max": "67108864\n"]
    #expect(try limit(files.merging(Self.machine) { $1 }) == 16_000 * 1_024)
    #expect(try limit(["/sys/fs/cgroup/memory.max": "1000000\n"]) == 1_000_000)
  }

  @Test func `groups of version 1 say it elsewhere`() throws {
    let files = [
      "/proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/x\n0::/y\n",
      "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
      "/sys/fs/cgroup/memory/x/memory.limit_in_bytes": "7000000\n",
    ]
    #expect(try limit(files.merging(Self.machine) { $1 }) == 7_000_000)
  }

  @Test func `nothing is known without any of these`() throws {
    #expect(try limit([:]) == nil)
    #expect(MemoryLimit.byteCount() ?? 0 > 1 << 20)
  }
}
