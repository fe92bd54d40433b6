import Foundation
import TestSupport
import Testing

/// Clients that are gone without a word: nothing more comes of them, not even an end.
@Suite struct VanishedClientTests {
  private func gateway(_ settings: String) throws -> (RunningGateway, UInt16) {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/lastword.toml"
    let text = "[[listen]]\naddress = \"127.0.0.1:0\"\n\(settings)\n"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let gateway = try RunningGateway(["--config", path], listen: [])
    return (gateway, try #require(gateway.address.split(separator: ":").last.flatMap { UInt16($0) }))
  }

  /// A kernel rounds what is left to its own ticks.
  @Test(arguments: [("", 60), ("keepAliveMs = 100_001", 101), ("keepAliveMs = 3_600_000", 3_600)])
  func `the kernel is told when to ask whether a client is still there`(settings: String, seconds: Int) throws
  {
    let (gateway, port) = try gateway(settings)
    let client = try gateway.connect()
    #expect(try client.isInStep())
    let left = try #require(TCPTable.probeSeconds(at: port).first ?? nil)
    #expect(left <= Double(seconds) + 1 && left > Double(seconds) - 30, "\(left)")
  }

  @Test func `nobody is asked where that is not wanted`() throws {
    let (gateway, port) = try gateway("keepAliveMs = 0")
    let client = try gateway.connect()
    #expect(try client.isInStep())
    #expect(TCPTable.probeSeconds(at: port) == [nil])
  }

  @Test(.enabled(if: getuid() == 0, "to vanish takes root"))
  func `what a client has open that vanished is taken back`() throws {
    let (gateway, _) = try gateway("keepAliveMs = 1")
    let client = try gateway.connect()
    try client.send(#"{"jsonrpc":"2.0","id":1,"method":"sleep","params":{"ms":60000}}"#)
    _ = try eventually("it works on it") {
      try gateway.metrics()[#"lastword_tasks{state="running"}"#] == 1 ? true : nil
    }
    // In a container root may not do everything.
    guard client.vanish() else { return }
    _ = try eventually("nobody waits for it") {
      try gateway.metrics()[#"lastword_requests_ended_total{outcome="abandoned"}"#] == 1 ? true : nil
    }
  }
}
