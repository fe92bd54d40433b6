import Foundation
import FuzzTargets
import Testing

/// Inputs that once went wrong, and some made by hand that reach far, are tried at every test.
@Suite struct ReplayTests {
  @Test(arguments: FuzzTarget.allCases)
  func `what must hold holds of every kept input`(target: FuzzTarget) throws {
    let inputs = try Self.inputs(of: target)
    #expect(!inputs.isEmpty)
    for (name, bytes) in inputs {
      do {
        try target.check(bytes)
      } catch {
        Issue.record("\(name): \(error)")
      }
    }
  }

  @Test(arguments: FuzzTarget.allCases)
  func `it holds of every kept input cut short, too`(target: FuzzTarget) throws {
    for (name, bytes) in try Self.inputs(of: target) {
      for end in 0..<bytes.count {
        do {
          try target.check(Array(bytes[..<end]))
        } catch {
          Issue.record("\(name), its first \(end) bytes: \(error)")
        }
      }
    }
  }

  private static func inputs(of target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let directory = here.appendingPathComponent("Inputs/\(target.rawValue)")
    return try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
      .sorted { $0.path < $1.path }
      .map { ($0.lastPathComponent, [UInt8](try Data(contentsOf: $0))) }
  }
}
