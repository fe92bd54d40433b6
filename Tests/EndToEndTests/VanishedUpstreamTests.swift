import Foundation
import TestSupport
import Testing

/// Upstreams that are gone without a word: nothing more comes of them, not even an end.
@Suite struct VanishedUpstreamTests {
  /// After how many seconds the kernel asks whether an upstream is still there; nil: never.
  private func probeSeconds(_ scheme: String, _ settings: String) throws -> Double? {
    let listener = try ListeningSocket()
    let text = ConfigurationFile.text(
      bounds: "", upstream: "address = \"\(scheme)127.0.0.1:\(listener.port)\"\n\(settings)")
    let gateway = try RunningGateway(configured: text, in: try TemporaryDirectory(), reachesUpstream: false)
    let client = try gateway.connect()
    try client.send(request(1, "m"))
    let upstream = try listener.accept()
    defer { withExtendedLifetime((gateway, client, upstream)) {} }
    guard !settings.contains("= 0") else {
      let said: [Double] = TCPTable.probeSeconds(to: listener.port).compactMap { $0 }
      return said.first
    }
    // Until what was said over it has arrived, that is what the kernel waits for.
    let left: Double = try eventually("the kernel waits for a word of it") {
      TCPTable.probeSeconds(to: listener.port).compactMap { $0 }.first
    }
    return left
  }

  @Test(arguments: [
    ("tcp:", "", 60), ("tcp:", "keepAliveMs = 100_001", 101), ("tcp:", "hard = true", 60), ("tls:", "", 60),
  ])
  func `the kernel is told when to ask whether an upstream is still there`(
    scheme: String, settings: String, seconds: Int
  ) throws {
    let left = try #require(try probeSeconds(scheme, settings))
    #expect(left <= Double(seconds) + 1 && left > Double(seconds) - 30, "\(left)")
  }

  @Test func `nobody is asked where that is not wanted`() throws {
    #expect(try probeSeconds("tcp:", "keepAliveMs = 0") == nil)
  }
}
