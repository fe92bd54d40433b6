import Foundation
import TestSupport
import Testing

/// `lastword load` over each transport, against a gateway that does well.
@Suite struct LoadTransportTests {
  private static let transports = ["lines", "ws", "http", "sse", "mix"]

  private func load(
    _ arguments: String...
  ) throws -> (lines: [String], error: String?, status: Int32?) {
    let words = arguments.flatMap { $0.split(separator: " ").map(String.init) }
    let program = try RunningProgram(Programs.lastword, ["load"] + words)
    var lines: [String] = []
    while let line = program.outputLine() { lines.append(line) }
    let status = program.exitStatus()
    return (lines, program.errorLine(), status)
  }

  @Test(arguments: transports)
  func `every transport is checked as lines are`(transport: String) throws {
    let (lines, _, status) = try load("--seconds 0.5 --connections 8 --depth 4 --transport", transport)
    #expect(status == 0, "\(lines)")
    #expect(lines.contains { $0.contains("one reply for each request, nothing stale") }, "\(lines)")
    let said = lines.first { $0.hasPrefix("  transport") }
    switch transport {
    case "lines": #expect(said == nil)
    case "ws": #expect(said == "  transport     ws")
    case "mix": #expect(said?.contains("mix: ") == true, "\(lines)")
    default: #expect(said == "  transport     \(transport); for POSTs 4 connections each", "\(lines)")
    }
  }

  @Test(arguments: transports)
  func `nothing is wrong when clients crash and change their minds`(transport: String) throws {
    let (lines, _, status) = try load(
      "--seconds 1 --rate poisson:400 --connections 6 --keys 3 --shared-keys --cancels 0.1 --disconnects 10",
      "--policies cancel=4,cancelAndWait=1,wait=1,concurrent=1,preferPrevious=1,keepLatest=1,onAnswer=1",
      "--behaviour mix --seed 7 --transport", transport)
    #expect(status == 0, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("  cancelled") }, "\(lines)")
  }

  @Test func `the clients of a mix share keys`() throws {
    let (lines, _, status) = try load(
      "--seconds 1 --connections 16 --depth 2 --keys 2 --shared-keys --transport mix")
    #expect(status == 0, "\(lines)")
    let said = try #require(lines.first { $0.hasPrefix("  transport") })
    for transport in ["lines", "ws", "http", "sse"] { #expect(said.contains(transport), "\(said)") }
  }

  @Test func `past the gateway it speaks lines`() throws {
    let (lines, _, status) = try load(
      "--seconds 0.3 --rate 200 --connections 2 --keys 1 --behaviour slow:20 --direct --transport http")
    #expect(status == 0, "\(lines)")
    #expect(lines.contains { $0.contains("saved") })
  }

  @Test(arguments: [
    ("--transport carrier-pigeon", "carrier-pigeon"),
    ("--transport http --connections 10000 --depth 16", "a connection of its own"),
    ("--transport mix --connections 2000 --rate 5", "a connection of its own"),
  ])
  func `what makes no sense is refused, and why is said`(arguments: String, reason: String) throws {
    let (_, error, status) = try load(arguments)
    #expect(status == 64 && error?.contains(reason) == true, "\(error ?? "")")
  }

  @Test(arguments: ["ws", "http", "sse", "mix"])
  func `a gateway that is not there is said so`(transport: String) throws {
    let port = try ListeningSocket().port
    let (lines, error, status) = try load("--to 127.0.0.1:\(port) --transport", transport)
    #expect(lines == [] && status == 69)
    #expect(error?.contains("cannot connect to 127.0.0.1:\(port)") == true, "\(error ?? "")")
  }

  @Test func `a gateway that speaks lines only is said not to speak the others`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/lastword.toml"
    let text = "[[listen]]\naddress = \"127.0.0.1:0\"\nprotocols = [\"lines\"]\n"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let gateway = try RunningGateway(["--config", path], listen: [], reachesUpstream: false)
    for transport in ["ws", "http", "sse"] {
      let (_, error, status) = try load("--connections 1 --to", gateway.address, "--transport", transport)
      #expect(status == 69 && error != nil, "\(transport): \(error ?? "")")
    }
  }
}
