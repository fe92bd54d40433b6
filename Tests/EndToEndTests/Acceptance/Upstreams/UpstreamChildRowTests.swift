import Foundation
import TestSupport
import Testing

/// Children that die, say too much or too little, or do not go away.
@Suite struct UpstreamChildRowTests {
  // MARK: Saying too much

  @Test(arguments: Way.to([.ownExec], others: [.ownExec], but: [.post: .ownUpstream]))
  func `a child that fills its standard error is drained, and answers come meanwhile`(way: Way) throws {
    let (floodBytes, growthBytes) = (100 * 1024 * 1024, 24 * 1024 * 1024)
    let scene = try UpstreamScene(way)
    let other = try scene.newClient()
    try scene.ask(1, "echo", from: other)
    _ = try other.reply()
    let before = try scene.gateway.program.peakResidentBytes()
    try scene.ask(2, "mutter", #""bytes":\#(floodBytes)"#)
    var answers = 0
    while !scene.client.socket.hasNews {
      try scene.ask(1000 + answers, "echo", from: other)
      #expect(try other.reply().id == 1000 + answers)
      answers += 1
    }
    #expect(try scene.client.reply().code == nil)
    #expect(answers > 0)
    #expect(try scene.gateway.program.peakResidentBytes() - before < growthBytes)
    other.finish()
    #expect(scene.stop() == 0)
  }

  typealias Noise = (kind: UpstreamKind, before: String, after: String)

  /// What a program may print around its messages, by what tells these apart.
  static let noise: [Noise] = [
    (.exec, #"Loading…\n\n\u0000\n  [1mready[0m > \nnull\n"#, #"done\n"#),
    (.exec, #"{not JSON\n[nor this\n"#, #"{\"neither\":\n"#),
    (.execFrames, #"Connecting to db\nCache: hit\n"#, #"bye\n"#),
    (.execFrames, #"loading..."#, #"Content-Length\n"#),
  ]

  /// Over lines all of it.
  static func noise(over transport: Transport) -> [(Transport, Noise)] {
    noise.prefix(transport == .lines ? noise.count : 1).map { (transport, $0) }
  }

  @Test(arguments: Transport.all.flatMap(noise))
  func `what a child prints besides its messages is skipped`(transport: Transport, noise: Noise) throws {
    let scene = try UpstreamScene(noise.kind, over: transport)
    let options = #""before":"\#(noise.before)","after":"\#(noise.after)""#
    for id in 1...20 { try scene.ask(id, "chatter", options) }
    #expect(try scene.client.replies(20).allSatisfy { $0.code == nil })
    #expect(try scene.client.isInStep())
    // That of a loop which is asked nothing may take its time.
    try expectEventually("all have begun") { try scene.record.processes().count >= RunningGateway.loops }
    #expect(try scene.record.processes().count == RunningGateway.loops)
    try scene.expectNothingRepeated()
  }

  @Test(arguments: Way.to(UpstreamKind.children, others: [.exec]))
  func `a child that prints something else instead of its answer is waited for to the deadline`(
    way: Way
  ) throws {
    let scene = try UpstreamScene(way)
    try scene.ask(1, "sleep", #""ms":500"#)
    try scene.ask(2, "garbage", #""text":"Segmentation fault\n""#, key: "k", task: #","timeoutMs":200"#)
    let late = try scene.client.reply()
    #expect(late.id == 2 && late.code == -32083, "\(late)")
    #expect(try scene.client.reply().code == nil)
    try scene.expectServed(3)
    #expect(try scene.record.processes().count == RunningGateway.loops)
  }

  // MARK: Dying

  @Test(arguments: Transport.all)
  func `a child in a crash loop is started after pauses, and what waits for it is unavailable`(
    transport: Transport
  ) throws {
    let pauseMilliseconds = 100
    let directory = try TemporaryDirectory()
    let starts = directory.path + "/starts"
    let script = "echo start >>\(starts); echo sorry >&2; exit 3"
    let bounds = "connectMs = 200\nfirstBackOffMs = 10\nlastBackOffMs = \(pauseMilliseconds)"
    let beginning = ContinuousClock.now
    let gateway = try Self.gateway(before: script, bounds, in: directory)
    let client = try transport.caller(to: gateway.address)
    for id in 1...(transport == .lines ? 10 : 4) {
      try client.send(request(id, "m"))
      let reply = try client.reply()
      #expect(reply.code == -32084, "\(reply)")
    }
    #expect(try client.isInStep())
    let elapsed = ContinuousClock.now - beginning
    let count = try String(contentsOfFile: starts, encoding: .utf8).split(separator: "\n").count
    // Each pause is at least half of what it may be; the first few are shorter.
    let mostStarts = RunningGateway.loops * (5 + Int(elapsed / .milliseconds(pauseMilliseconds / 2)))
    #expect(count > 2 && count <= mostStarts, "\(count) starts in \(elapsed)")
    #expect(try gateway.children().count <= RunningGateway.loops)
    #expect(try .milliseconds(gateway.program.processorMilliseconds()) < elapsed / 2)
    client.finish()
    #expect(gateway.stop() == 0)
  }

  /// Ways not to read: over lines all of them.
  static func deaf(over transport: Transport) -> [(Transport, script: String)] {
    let scripts = [
      "exec 0<&-; exec sleep 1000", "exec 0<&- 1>&-; exec sleep 1000", "exec 1>&-; exec cat", "exit 0",
    ]
    return scripts.prefix(transport == .lines ? scripts.count : 1).map { (transport, $0) }
  }

  @Test(arguments: Transport.all.flatMap(deaf))
  func `writing to a child that does not read any more harms nobody`(
    transport: Transport, script: String
  ) throws {
    let directory = try TemporaryDirectory()
    let bounds =
      "connectMs = 300\nlastBackOffMs = 100\ntimeoutMs = \(transport == .lines ? 3000 : 1000)"
    let gateway = try Self.gateway(
      before: script, bounds, "graceMs = 50", in: directory)
    let client = try transport.caller(to: gateway.address)
    let padding = String(repeating: "x", count: 100_000)
    for id in 1...50 { try client.send(request(id, "m", #"["\#(padding)"]"#)) }
    #expect(try client.replies(50).allSatisfy { $0.code == -32084 || $0.code == -32083 })
    #expect(try client.isInStep())
    client.finish()
    #expect(gateway.stop() == 0)
  }

  @Test(arguments: Transport.all)
  func `a child that never reads costs what is bounded, and its requests their time`(
    transport: Transport
  ) throws {
    let growthBytes = 16 * 1024 * 1024
    let directory = try TemporaryDirectory()
    let gateway = try Self.gateway(
      before: "exec sleep 1000", "timeoutMs = 1000\nupstreamOutputHardBytes = 4194304", "graceMs = 50",
      in: directory)
    let client = try transport.caller(to: gateway.address)
    let before = try gateway.program.peakResidentBytes()
    let padding = String(repeating: "x", count: 100_000)
    for id in 1...300 { try client.send(request(id, "m", #"["\#(padding)"]"#)) }
    let codes = try client.replies(300).map(\.code)
    #expect(Set(codes) == [-32082, -32083], "\(Set(codes))")
    #expect(try client.isInStep())
    #expect(try gateway.program.peakResidentBytes() - before < growthBytes)
    client.finish()
    #expect(gateway.stop() == 0)
  }

  // MARK: Not going away

  /// Ways to stay: `$!` is what is started behind it, `$$` itself.
  static let clingers = [
    "sleep 1000 & echo $! >>PIDS; echo $$ >>PIDS; exec cat",
    "trap '' TERM; echo $$ >>PIDS; while :; do sleep 0.05; done",
    "echo $$ >>PIDS; exec sleep 1000", "echo $$ >>PIDS; kill -STOP $$; exec cat",
  ]

  @Test(.forLines(.nobody), arguments: clingers, [SIGTERM, SIGINT])
  func `no child, and nothing that it started, outlives the gateway`(script: String, signal: Int32) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/pids"
    let gateway = try Self.gateway(
      before: script.replacing("PIDS", with: path), "", "graceMs = 100", in: directory)
    let count = (script.contains("$!") ? 2 : 1) * RunningGateway.loops
    let processes = try eventually("the child has begun") {
      let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      let processes = text.split(separator: "\n").compactMap { Int32($0) }
      return processes.count == count && text.hasSuffix("\n") ? processes : nil
    }
    gateway.program.signal(signal)
    #expect(gateway.program.exitStatus() == 0)
    try expectEventually("all have ended") { !processes.contains(where: isRunning) }
  }

  @Test(.forLines(.nobody)) func `a gateway that is told twice to stop takes its children with it`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/pid"
    let gateway = try Self.gateway(
      before: "echo $$ >\(path); trap '' TERM; while :; do sleep 0.05; done", "", "graceMs = 3600000",
      in: directory)
    let process = try eventually("the child has begun") {
      Int32((try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: "\n").first ?? "")
    }
    gateway.program.signal(SIGTERM)
    try gateway.awaitLog("stopped")
    #expect(isRunning(process))
    gateway.program.signal(SIGTERM)
    #expect(gateway.program.exitStatus() == 128 + SIGTERM)
    try expectEventually("the child has ended") { !isRunning(process) }
  }

  // MARK: Setting up

  private static func gateway(
    before script: String, _ bounds: String, _ settings: String = "", in directory: TemporaryDirectory
  ) throws -> RunningGateway {
    let path = directory.path + "/child.sh"
    try Data(script.utf8).write(to: URL(fileURLWithPath: path))
    let text = ConfigurationFile.text(
      bounds: bounds, upstream: "address = \"exec:sh '\(path)'\"\n" + settings)
    return try RunningGateway(configured: text, in: directory, reachesUpstream: false)
  }
}

extension RunningGateway {
  /// Its children, those that have ended and were not asked after included.
  func children() throws -> [Int32] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(program.identifier)/task").flatMap {
      thread in
      let path = "/proc/\(program.identifier)/task/\(thread)/children"
      return try String(contentsOfFile: path, encoding: .utf8).split(separator: " ").compactMap { Int32($0) }
    }
  }
}
