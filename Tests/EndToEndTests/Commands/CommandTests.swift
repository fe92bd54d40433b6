import Foundation
import TestSupport
import Testing

/// `lastword call` and `lastword load` against a real gateway, and the examples.
@Suite struct CommandTests {
  let gateway: RunningGateway

  init() throws { gateway = try RunningGateway() }

  private func run(_ arguments: [String]) throws -> RunningProgram {
    try RunningProgram(Programs.lastword, arguments)
  }

  @Test func `call prints the result`() throws {
    let call = try run([
      "call", "echo", #"{"q": 1.0}"#, "--key", "k", "--policy", "wait", "--to", gateway.address,
    ])
    #expect(call.outputLine() == #"{"q": 1.0}"#)
    #expect(call.exitStatus() == 0)
  }

  @Test func `call exits by outcome`() throws {
    let unknown = try run(["call", "nothing", "--to", gateway.address])
    #expect(try #require(unknown.outputLine()).contains("-32601"))
    #expect(unknown.exitStatus() == 1)
    let late = try run(["call", "sleep", #"{"ms":9000}"#, "--timeout-ms", "20", "--to", gateway.address])
    #expect(try #require(late.outputLine()).contains("-32083"))
    #expect(late.exitStatus() == 12)
    let closed = try ListeningSocket().port
    #expect(try run(["call", "echo", "--to", "127.0.0.1:\(closed)"]).exitStatus() == 69)
  }

  /// Its call is superseded while it runs, by one of the same method.
  private func supersededCall(_ arguments: [String], of gateway: RunningGateway) throws -> RunningProgram {
    let first = try run(
      ["call", "sleep", #"{"ms":9000}"#, "--key", "k", "--to", gateway.address] + arguments)
    let other = try gateway.connect()
    // `preferPrevious` is busy exactly while the first call runs.
    var isRunning = false
    for _ in 0..<2_000 where !isRunning {
      isRunning = try Reply(other.call(request(1, "echo", key: "k", policy: "preferPrevious"))).code == -32081
    }
    #expect(isRunning)
    let newer = request(2, "sleep", #"{"ms":0}"#, key: "k", policy: "cancel")
    #expect(try Reply(other.call(newer)).code == nil)
    return first
  }

  @Test func `a superseded call says so`() throws {
    let first = try supersededCall([], of: gateway)
    #expect(try #require(first.outputLine()).contains("-32080"))
    #expect(first.exitStatus() == 10)
  }

  @Test func `a superseded call gets the newer answer where the route says so`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/lastword.toml"
    let text = """
      [[listen]]
      address = "127.0.0.1:0"
      [[route]]
      method = "sleep"
      superseded = "follow"
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let gateway = try RunningGateway(["--config", path], listen: [])
    for arguments in [[], ["--superseded", "follow"]] {
      let first = try supersededCall(arguments, of: gateway)
      #expect(first.outputLine() == #"{"ms":0}"#, "\(arguments)")
      #expect(first.exitStatus() == 0)
    }
    let first = try supersededCall(["--superseded", "error"], of: gateway)
    #expect(try #require(first.outputLine()).contains("-32080"))
    #expect(first.exitStatus() == 10)
  }

  @Test(arguments: [
    "cancel", "cancelAndWait", "wait", "concurrent", "preferPrevious", "keepLatest", "onAnswer",
  ])
  func `load finds nothing wrong with the gateway`(policy: String) throws {
    let load = try run(
      [
        "load", "--to", gateway.address, "--connections", "4", "--depth", "8", "--keys", "2",
        "--requests", "2000", "--seconds", "60", "--policy", policy,
      ] + RunningGateway.loadFlags)
    var lines: [String] = []
    while let line = load.outputLine() { lines.append(line) }
    #expect(load.exitStatus() == 0, "\(lines)")
    #expect(lines.contains { $0.contains("one reply for each request, nothing stale") })
  }

  @Test func `load finds nothing wrong with a gateway before the Python upstream`() throws {
    let upstream = try RunningUpstream()
    let gateway = try RunningGateway(upstream: upstream.address)
    let load = try run(
      [
        "load", "--to", gateway.address, "--connections", "4", "--depth", "4", "--keys", "4",
        "--requests", "4000", "--seconds", "60",
      ] + RunningGateway.loadFlags)
    var lines: [String] = []
    while let line = load.outputLine() { lines.append(line) }
    #expect(load.exitStatus() == 0, "\(lines)")
  }

  /// What a server that cheats does with the requests 1 and 2 of a key.
  @Test(arguments: [
    ("a stale result", ["2", "1"]), ("was not open", ["1", "1", "2"]), ("never answered", ["1"]),
  ])
  func `load catches a server that cheats`(finding: String, answers: [String]) throws {
    let listener = try ListeningSocket()
    let load = try run(
      [
        "load", "--to", "127.0.0.1:\(listener.port)", "--connections", "1", "--depth", "2", "--keys", "1",
        "--requests", "2", "--patience-ms", "300",
      ])
    let client = try listener.accept()
    _ = try (client.expect(), client.expect())
    for id in answers { try client.send(#"{"jsonrpc":"2.0","id":\#(id),"result":{"n":\#(id)}}"#) }
    var lines: [String] = []
    while let line = load.outputLine() { lines.append(line) }
    #expect(lines.contains { $0.contains("VIOLATION") && $0.contains(finding) }, "\(lines)")
    #expect(load.exitStatus() == 1)
  }

  @Test func `the Python client shows only the newest answer of the Python upstream`() throws {
    let upstream = try RunningUpstream()
    let gateway = try RunningGateway(upstream: upstream.address)
    let client = try RunningProgram(
      Programs.python, ["python3", Programs.repository + "/examples/client.py", gateway.address])
    var lines: [String] = []
    while let line = client.outputLine() { lines.append(line) }
    #expect(lines == ["s: superseded", "sw: superseded", "swift: shown (swift)"])
    #expect(client.exitStatus() == 0)
    #expect(gateway.stop() == 0)
  }
}
