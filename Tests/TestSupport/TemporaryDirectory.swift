import Foundation

/// A directory of a test's own, gone when the test is.
package final class TemporaryDirectory {
  package let path: String

  package init() throws {
    path = NSTemporaryDirectory() + "lastword-test-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
