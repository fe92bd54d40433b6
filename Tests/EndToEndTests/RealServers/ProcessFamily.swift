import Foundation
import TestSupport

/// Every process that descends from one child of the gateway's, in whatever process group: each inherits its mark.
struct ProcessFamily {
  private let id = UUID().uuidString

  /// What the first of them has in its environment.
  var mark: String { "LASTWORD_TEST_FAMILY=\(id)" }

  /// Those that live.
  func members() -> [Int32] {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return entries.compactMap { Int32($0) }.filter(isMember)
  }

  /// Waits until none is left.
  func awaitEnd() throws { try eventually("the children end") { members().isEmpty ? () : nil } }

  func kill() {
    for process in members() { Foundation.kill(process, SIGKILL) }
  }

  /// One that has ended has no environment any more, even if it was not waited for.
  private func isMember(_ process: Int32) -> Bool {
    guard let environment = KernelFile.contents("/proc/\(process)/environ") else { return false }
    return environment.split(separator: 0).contains { $0.elementsEqual(mark.utf8) }
  }
}
