import Foundation
import Testing

@testable import Configuration

/// The configurations that are shown of upstreams of several kinds.
@Suite struct UpstreamExampleTests {
  private var examples: [String] {
    get throws {
      let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
      let page = try String(
        contentsOf: repository.appendingPathComponent("examples/configurations.md"), encoding: .utf8)
      return page.components(separatedBy: "```toml\n").dropFirst().map {
        $0.components(separatedBy: "```")[0]
      }
    }
  }

  @Test func `each is right, if this build knows what it asks for`() throws {
    for example in try examples where HTTPAddress.isBuilt || !example.contains("http") {
      #expect(complaints(example) == [])
    }
  }

  @Test func `every kind is among them`() throws {
    let all = try examples.joined()
    #expect(try examples.count == 8)
    let words = [
      "tcp:", "unix:", "exec:", "http://", "https://", "perConnection", "hard", "passTask", "passFence",
      "trustAnswers",
    ]
    for word in words {
      #expect(all.contains(word), "\(word)")
    }
  }
}
