import Foundation
import TestSupport
import Testing

/// Upstreams that cannot be reached, and how they are tried again.
@Suite struct UpstreamReachRowTests {
  /// Addresses behind which there is nobody, made anew for each test.
  enum Nowhere: String, CaseIterable, CustomTestStringConvertible {
    case refusing, unknownName, missingSocket, missingProgram, noProgram, goneDirectory
    case refusingHTTP

    var testDescription: String { rawValue }

    func address(in directory: TemporaryDirectory) throws -> String {
      switch self {
      case .refusing: "tcp:127.0.0.1:\(try ListeningSocket().port)"
      case .refusingHTTP: "http://127.0.0.1:\(try ListeningSocket().port)/"
      // Longer than a name may be: nobody has to be asked for it.
      case .unknownName: "tcp:\(String(repeating: "x", count: 64)).invalid:5278"
      case .missingSocket: "unix:\(directory.path)/nobody"
      case .missingProgram: "exec:lastword-has-no-such-program"
      case .noProgram: "exec:/dev/null"
      case .goneDirectory: "exec:true\"\ndirectory = \"\(try Self.made(in: directory))"
      }
    }

    private static func made(in directory: TemporaryDirectory) throws -> String {
      let path = directory.path + "/gone"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      return path
    }

    /// Takes away what a gateway does not start without.
    func vanish(in directory: TemporaryDirectory, under gateway: RunningGateway) throws {
      guard self == .goneDirectory else { return }
      try FileManager.default.removeItem(atPath: directory.path + "/gone")
      try gateway.awaitLog("no such file or directory")
    }
  }

  /// Over lines all of them.
  static func nowhere(over transport: Transport) -> [(Transport, Nowhere)] {
    (transport == .lines ? Nowhere.allCases : [.refusing, .missingProgram]).map { (transport, $0) }
  }

  @Test(arguments: Transport.all.flatMap(nowhere))
  func `what cannot be reached is unavailable, and was not sent anything`(
    transport: Transport, nowhere: Nowhere
  ) throws {
    let directory = try TemporaryDirectory()
    let text = Self.file(try nowhere.address(in: directory), "connectMs = 100")
    let gateway = try RunningGateway(configured: text, in: directory, reachesUpstream: false)
    try nowhere.vanish(in: directory, under: gateway)
    let client = try transport.caller(to: gateway.address)
    for id in 1...3 {
      try client.send(request(id, "m", key: "k", policy: "wait"))
      let reply = try client.reply()
      #expect(reply.code == -32084 && reply.phase == "queued" && reply.upstream == "notSent", "\(reply)")
    }
    try client.send(#"{"jsonrpc":"2.0","method":"note"}"#)
    #expect(try client.isInStep())
    client.finish()
    #expect(gateway.stop() == 0)
  }

  @Test(.forLines(.log))
  func `what fails for the same reason again and again is logged now and then, and counted`() throws {
    let directory = try TemporaryDirectory()
    let text = Self.file(try Nowhere.refusingHTTP.address(in: directory), "connectMs = 100")
    let gateway = try RunningGateway(configured: text, in: directory, reachesUpstream: false)
    // Nobody says that it is connected.
    let reach = try gateway.awaitLog("upstream ")
    #expect(reach.contains("connecting to upstream as needed"), "\(reach)")
    #expect(reach.contains("upstream=http://127.0.0.1:"), "\(reach)")
    let client = try gateway.connect()
    for id in 1...20 {
      try client.send(request(id, "m"))
      #expect(try client.reply().code == -32084)
    }
    let line = try gateway.awaitLog("exchange failed")
    let said = RunningGateway.loops > 1 ? line.replacing(#/loop=\d+ /#, with: "") : line
    #expect(said.contains("[WRN] exchange failed notLogged=0 reason="), "\(line)")
    #expect(line.contains(" upstream=http://127.0.0.1:"), "\(line)")
    gateway.program.signal(SIGHUP)
    var next = try #require(gateway.program.errorLine())
    // Each loop says that of its own.
    while RunningGateway.loops > 1, next.contains("connecting to upstream as needed") {
      next = try #require(gateway.program.errorLine())
    }
    #expect(next.hasSuffix("[INF] configuration reloaded"), "\(next)")
    client.finish()
    #expect(gateway.stop() == 0)
  }

  @Test(.forLines(.nobody))
  func `attempts come after pauses that double up to a bound, each shortened by up to half`() throws {
    let (first, last) = (40, 160)
    let refusing = try ListeningSocket()
    let beginning = ContinuousClock.now
    let text = Self.file(refusing.address, "firstBackOffMs = \(first)\nlastBackOffMs = \(last)")
    // Each loop has pauses of its own.
    let gateway = try RunningGateway(
      configured: text, in: try TemporaryDirectory(), ["--seed", "7"], environment: RunningGateway.oneLoop)
    var attempts: [Duration] = []
    for _ in 0..<14 {
      try refusing.accept().reset()
      attempts.append(ContinuousClock.now - beginning)
    }
    let pauses = [first, first * 2] + Array(repeating: last, count: 11)
    // However late this test sees them, they cannot have come before the shortest pauses were over.
    #expect(attempts.last! >= .milliseconds(pauses.reduce(0, +) / 2))
    let between = zip(attempts.dropFirst(), attempts).map { $0 - $1 }
    // Without the shortening all but the first few were as long as the longest.
    #expect(between.suffix(10).min()! < .milliseconds(last * 9 / 10))
    #expect(gateway.stop() == 0)
  }

  @Test(.forLines(.pauses)) func `an upstream that answered is tried again soon after it was lost`() throws {
    let listener = try ListeningSocket()
    let text = Self.file(
      listener.address, "connectMs = 20000\nfirstBackOffMs = 5\nlastBackOffMs = 3600000")
    // Only the loop that had an answer tries again soon.
    let gateway = try RunningGateway(
      configured: text, in: try TemporaryDirectory(), environment: RunningGateway.oneLoop)
    let client = try gateway.connect()
    // Ten pauses in vain: without the answer the next one would take some seconds.
    for _ in 0..<10 { try listener.accept().reset() }
    let upstream = try listener.accept()
    try client.send(request(1, "a"))
    try upstream.answer(upstream.asked().id!, "here")
    #expect(try client.reply().result == "here")
    let lost = ContinuousClock.now
    upstream.reset()
    let next = try listener.accept()
    #expect(ContinuousClock.now - lost < .seconds(2))
    try client.send(request(2, "b"))
    try next.answer(next.asked().id!, "here again")
    #expect(try client.reply().result == "here again")
  }

  @Test(arguments: Way.to(UpstreamKind.connections, others: [.tcp]))
  func `what waits for an upstream that comes back is sent to it, once`(way: Way) throws {
    let scene = try UpstreamScene(way)
    try scene.ask(1, "die")
    #expect(try scene.client.reply().upstream == "mayHaveCompleted")
    for id in 2...20 { try scene.ask(id, "echo") }
    try scene.bringUpstreamBack()
    #expect(try scene.client.replies(19).allSatisfy { $0.code == nil })
    // Of programs that it starts each loop has one.
    let others = way.kind.isChild ? RunningGateway.loops - 1 : 0
    #expect(try scene.record.processes().count == 2 + others)
    try scene.expectNothingRepeated()
    #expect(try scene.client.isInStep())
  }

  private static func file(_ address: String, _ bounds: String) -> String {
    ConfigurationFile.text(bounds: bounds, upstream: "address = \"\(address)\"")
  }
}
