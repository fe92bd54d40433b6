import Foundation
import TestSupport

/// Every process that descends from one child of the gateway's, in whatever process group: each inherits its mark.
struct ProcessFamily {
  private let id = UUID().uuidString

  /// What the first of them has in its environment.
  var mark: String { "LASTWORD_TEST_FAMILY=\(id)" }

  /// Those that live; with `name`, only those that are called so.
  func members(named name: String? = nil) -> [Int32] {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return entries.compactMap { Int32($0) }.filter {
      isMember($0) && (name == nil || self.name(of: $0) == name)
    }
  }

  /// Waits until none is left.
  func awaitEnd() throws { try eventually("the children end") { members().isEmpty ? () : nil } }

  func kill() {
    for process in members() { Foundation.kill(process, SIGKILL) }
  }

  /// A process that has ended and was not waited for has no environment any more, and a name still.
  private func isMember(_ process: Int32) -> Bool {
    guard let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ") else {
      return false
    }
    return environment.split(separator: 0).contains { $0.elementsEqual(mark.utf8) }
  }

  private func name(of process: Int32) -> String? {
    let name = FileManager.default.contents(atPath: "/proc/\(process)/comm")
    return name.map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .newlines) }
  }
}
