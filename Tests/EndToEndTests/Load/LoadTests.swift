import Foundation
import TestSupport
import Testing

/// `lastword load` as somebody uses it: alone, and against servers that cheat.
@Suite struct LoadTests {
  private func run(_ arguments: [String]) throws -> RunningProgram {
    try RunningProgram(Programs.lastword, ["load"] + arguments)
  }

  /// Its standard output, and its exit status.
  private func finish(_ load: RunningProgram) -> (lines: [String], status: Int32?) {
    var lines: [String] = []
    while let line = load.outputLine() { lines.append(line) }
    return (lines, load.exitStatus())
  }

  private func load(_ arguments: String...) throws -> (lines: [String], status: Int32?) {
    try finish(run(arguments.flatMap { $0.split(separator: " ").map(String.init) }))
  }

  // MARK: On its own

  @Test func `load alone starts all that it needs`() throws {
    let (lines, status) = try load("--seconds 0.5 --connections 4")
    #expect(status == 0, "\(lines)")
    #expect(lines.contains { $0.contains("one reply for each request, nothing stale") })
    #expect(lines.contains { $0.contains("cancelled, busy") })
    #expect(
      lines.contains("  upstream      its own, jitter:1..20") && lines.contains("  duration      0.5 s"))
  }

  @Test func `what the environment sets is meant for another gateway`() throws {
    let others = [
      "LASTWORD_ADMIN_ADDRESS": "192.0.2.1:1", "LASTWORD_CONFIG": "/nonexistent",
      "LASTWORD_LOG_LEVEL": "loud",
    ]
    let load = try RunningProgram(
      Programs.lastword, ["load", "--seconds", "0.2", "--connections", "2"], environment: others)
    let (lines, status) = finish(load)
    #expect(status == 0, "\(lines)")
  }

  @Test(arguments: ["echo", "slow:5", "jitter:0..10", "stubborn:5", "late:5", "twice:5", "mix"])
  func `nothing is wrong whatever upstream does, the clients crash and change their minds`(
    behaviour: String
  ) throws {
    let (lines, status) = try load(
      "--seconds 1 --rate poisson:400 --connections 6 --keys 3 --shared-keys --cancels 0.1 --disconnects 10",
      "--policies cancel=4,cancelAndWait=1,wait=1,concurrent=1,preferPrevious=1,keepLatest=1,onAnswer=1",
      "--behaviour", behaviour)
    #expect(status == 0, "\(lines)")
  }

  @Test(arguments: ["lines --disconnects 10", "ws", "sse"])
  func `answers come in pieces, whatever upstream does and the clients think better of`(transport: String)
    throws
  {
    let (lines, status) = try load(
      "--seconds 1 --rate poisson:400 --connections 6 --keys 3 --cancels 0.1 --behaviour mix",
      "--policies cancel=4,cancelAndWait=1,wait=1,concurrent=1,keepLatest=1,onAnswer=1",
      "--pieces 4 --piece-ms 2 --piece-padding 100 --fail-if firstPiece.p99>60s --transport", transport)
    #expect(status == 0, "\(lines)")
    #expect(lines.contains { $0.contains("first piece") } && lines.contains { $0.contains("piece gap") })
  }

  @Test func `a server that goes on with a text behind a newer question is noticed`() throws {
    let upstream = try RunningProgram(Programs.lastword, ["load", "upstream"])
    let address = try #require(upstream.outputLine())
    let (lines, status) = try load(
      "--seconds 1 --connections 1 --depth 4 --keys 1 --pieces 20 --piece-ms 2 --to", address)
    #expect(status == 99 || status == 1, "\(lines)")
    #expect(lines.contains { $0.contains("stale") && !$0.contains("stale         0") }, "\(lines)")
    upstream.kill()
  }

  @Test(arguments: [
    "--pieces 2 --transport http", "--pieces 2 --transport mix", "--pieces 2 --any-answer", "--piece-ms 3",
    "--pieces 1000001",
  ])
  func `pieces that nobody could give are refused`(arguments: String) throws {
    let (_, status) = try load(arguments)
    #expect(status == 64)
  }

  @Test(arguments: ["zipf:1.1", "typing"])
  func `other workloads are checked as well`(workload: String) throws {
    let (lines, status) = try load(
      "--seconds 1 --connections 4 --keys 20 --behaviour slow:300 --size 64..4096 --workload", workload)
    #expect(status == 0, "\(lines)")
  }

  @Test func `direct says what the gateway saved`() throws {
    let (lines, status) = try load(
      "--seconds 0.5 --rate 300 --connections 2 --keys 1 --behaviour slow:20 --direct")
    #expect(status == 0, "\(lines)")
    #expect(lines.contains { $0.contains("saved") })
  }

  @Test func `policies are shown side by side`() throws {
    let (lines, status) = try load(
      "policies --seconds 0.3 --rate 300 --connections 2 --keys 2 --behaviour jitter:0..10")
    #expect(status == 0, "\(lines)")
    for policy in PolicyNames.all { #expect(lines.contains { $0.contains(policy) }) }
  }

  @Test func `runs are kept as files, compared, and fail by rules`() throws {
    let directory = try TemporaryDirectory()
    let files = [directory.path + "/a.json", directory.path + "/b.json"]
    for file in files {
      let (lines, status) = try load("--seconds 0.2 --connections 2 --json", file)
      #expect(status == 0, "\(lines)")
    }
    #expect(try load("compare", files[0], files[1]).status == 0)
    let several = try load("compare", files[0], files[1], "--with", files[1], files[0])
    #expect(several.status == 0)
    #expect(several.lines.first == "  A  \(files[0]), \(files[1])")
    #expect(several.lines.contains { $0.contains("2 runs (A) and 2 runs (B)") }, "\(several.lines)")
    #expect(try load("compare", files[0]).status == 64)
    #expect(try load("compare", files[0], directory.path + "/c.json").status == 66)
    let broken = try finish(run(["--seconds", "0.2", "--connections", "2", "--fail-if", "p50 > 0ms"]))
    #expect(broken.status == 99)
  }

  @Test(arguments: [
    "--connections 0", "--rate x", "--rate 0", "--seconds 0", "--depth 2 --rate 5",
    "--workload typing --rate 5",
    "--policy cancel --policies wait", "--no-keys --policy wait", "--to 127.0.0.1:1 --behaviour echo",
    "--direct", "policies --direct --rate 5",
    "--upstream-at 127.0.0.1:1", "--cancels 2", "--size 5..4", "--connections 10000 --keys 1000",
    "--fail-if x",
  ])
  func `what makes no sense is refused`(arguments: String) throws {
    #expect(try load(arguments).status == 64)
  }

  @Test(arguments: [[], ["policies"], ["--quiet"], ["--json", "-"]])
  func `a gateway that is not there is said so, and nothing else`(arguments: [String]) throws {
    let port = try ListeningSocket().port
    let load = try run(arguments + ["--to", "127.0.0.1:\(port)"])
    let (lines, status) = finish(load)
    #expect(lines == [] && status == 69)
    var complaint: String?
    while let line = load.errorLine() { complaint = line }
    #expect(
      complaint?.hasPrefix("lastword: cannot connect to 127.0.0.1:\(port)") == true, "\(complaint ?? "")")
  }

  @Test func `what the client takes back is no error of the gateway's`() throws {
    let (lines, status) = try load(
      "--seconds 0.5 --rate 200 --connections 2 --behaviour slow:50 --cancels 0.8 --policy concurrent",
      "--fail-if errors>0 --fail-if cancelled<50%")
    #expect(status == 0, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("  cancelled") } && lines.contains("  errors        0"), "\(lines)")
  }

  // MARK: Against a server of the test's own

  private func answer(_ id: Int, n: Int? = nil, arrival: Int, newest: Int) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"result":{"n":\#(n ?? id),"arrival":\#(arrival),"newest":\#(newest)}}"#
  }

  @Test func `load catches a stale result across connections`() throws {
    let listener = try ListeningSocket()
    let load = try run([
      "--to", "127.0.0.1:\(listener.port)", "--connections", "2", "--depth", "1", "--keys", "1",
      "--shared-keys", "--requests", "2",
    ])
    let clients = try [listener.accept(), listener.accept()]
    let ids = try clients.map { try Reply($0.expect()).id }
    for (client, id) in zip(clients, ids) {
      // Upstream knew of the second when it answered the first.
      try client.send(answer(try #require(id), arrival: id == 1 ? 1 : 2, newest: 2))
    }
    let (lines, status) = finish(load)
    #expect(lines.contains { $0.contains("a stale result of request 1") }, "\(lines)")
    #expect(lines.contains { $0.contains(">> request 1") }, "the trace is missing: \(lines)")
    #expect(status == 1)
  }

  /// What a server that cheats answers to the requests 1 and 2 of a key.
  @Test(arguments: [
    ("wait", "came after that of 2", [(2, 2), (1, 1)]),
    ("keepLatest", "came after that of 2", [(2, 2), (1, 1)]),
    ("concurrent", "the result of another", [(1, 2), (2, 2)]),
    ("onAnswer", "a stale result", [(2, 2), (1, 1)]),
    ("cancelAndWait", "a stale result", [(2, 2), (1, 1)]),
    ("wait", "was not open", [(1, 1), (1, 1), (2, 2)]),
  ])
  func `load catches who breaks a policy`(policy: String, finding: String, answers: [(Int, Int)]) throws {
    let listener = try ListeningSocket()
    let load = try run([
      "--to", "127.0.0.1:\(listener.port)", "--connections", "1", "--depth", "2", "--keys", "1", "--requests",
      "2",
      "--policy", policy, "--patience-ms", "300",
    ])
    let client = try listener.accept()
    _ = try (client.expect(), client.expect())
    for (id, n) in answers { try client.send(answer(id, n: n, arrival: n, newest: 0)) }
    let (lines, status) = finish(load)
    #expect(lines.contains { $0.contains(finding) }, "\(lines)")
    #expect(status == 1)
  }

  @Test func `load catches who supersedes by nothing`() throws {
    let listener = try ListeningSocket()
    let load = try run([
      "--to", "127.0.0.1:\(listener.port)", "--connections", "1", "--depth", "1", "--requests", "1",
    ])
    let client = try listener.accept()
    _ = try client.expect()
    try client.send(#"{"jsonrpc":"2.0","id":1,"error":{"code":-32080,"message":"superseded"}}"#)
    let (lines, status) = finish(load)
    #expect(lines.contains { $0.contains("nothing newer was asked") }, "\(lines)")
    #expect(status == 1)
  }

  @Test func `a quiet load still says what was wrong`() throws {
    let listener = try ListeningSocket()
    let load = try run([
      "--to", "127.0.0.1:\(listener.port)", "--connections", "1", "--depth", "1", "--requests", "1",
      "--quiet",
    ])
    let client = try listener.accept()
    _ = try client.expect()
    try client.send(answer(1, n: 2, arrival: 1, newest: 0))
    let (lines, status) = finish(load)
    #expect(lines == [] && status == 1)
    #expect(load.errorLine() == "lastword: 1 violation")
    #expect(load.errorLine() == "lastword: request 1 got the result of another")
  }

  @Test func `a quiet load names what most errors were`() throws {
    let listener = try ListeningSocket()
    let load = try run([
      "--to", "127.0.0.1:\(listener.port)", "--connections", "1", "--depth", "1", "--requests", "3",
      "--quiet",
      "--policy", "wait",
    ])
    let client = try listener.accept()
    for id in 1...2 {
      _ = try client.expect()
      try client.send(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-32601,"message":"no"}}"#)
    }
    _ = try client.expect()
    try client.send(answer(3, arrival: 1, newest: 0))
    let (lines, status) = finish(load)
    #expect(lines == [] && status == 0)
    #expect(
      load.errorLine()
        == "lastword: 2 of 3 replies were errors, most often -32601 (method not found)")
  }

  @Test func `an open loop does not wait for answers`() throws {
    let listener = try ListeningSocket()
    let load = try run([
      "--to", "127.0.0.1:\(listener.port)", "--connections", "1", "--rate", "500", "--requests", "20",
      "--policy", "concurrent",
    ])
    let client = try listener.accept()
    for _ in 0..<20 { _ = try client.expect() }
    for id in 1...20 { try client.send(answer(id, arrival: id, newest: 0)) }
    let (lines, status) = finish(load)
    #expect(status == 0, "\(lines)")
    #expect(lines.contains { $0.contains("20 intended, 20 sent") }, "\(lines)")
  }

  @Test func `a load that as many as allowed are open of blames neither itself nor the server`() throws {
    let (lines, _) = try load(
      "--seconds 0.5 --rate 2000 --connections 1 --behaviour slow:100 --policy concurrent --max-open 5")
    #expect(lines.contains { $0.contains("held back while --max-open requests were open") }, "\(lines)")
    #expect(!lines.contains { $0.contains("This client") }, "\(lines)")
  }

  @Test func `without keys nothing is stale, and nothing newer`() throws {
    let (lines, status) = try load("--seconds 0.2 --connections 1 --no-keys")
    #expect(status == 0 && !lines.contains { $0.contains("staleness") }, "\(lines)")
  }

  @Test func `the same seed asks the same`() throws {
    #expect(try asked(seed: 5) == asked(seed: 5))
    #expect(try asked(seed: 5) != asked(seed: 6))
  }

  /// What a server is asked, without the number by which runs are told apart.
  private func asked(seed: Int) throws -> [String] {
    let listener = try ListeningSocket()
    let load = try run([
      "--to", "127.0.0.1:\(listener.port)", "--connections", "1", "--rate", "poisson:2000", "--requests",
      "50",
      "--seed", "\(seed)", "--keys", "1000", "--workload", "zipf:0.9", "--policies", "concurrent=1,wait=2",
      "--size", "100..400", "--patience-ms", "1",
    ])
    let client = try listener.accept()
    let lines = try (0..<50).map { _ in try client.expect() }
    _ = finish(load)
    return lines.map { line in
      line.replacing(/"load:\d+:/, with: "\"load:").replacing(/"run":\d+,/, with: "").replacing(
        /x+/, with: "x")
    }
  }
}

private enum PolicyNames {
  static let all = [
    "cancel", "cancelAndWait", "wait", "concurrent", "preferPrevious", "keepLatest", "onAnswer",
  ]
}
