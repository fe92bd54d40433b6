import Foundation
import TestSupport
import Testing

/// The rows of a gateway that is told to read its configuration again.
@Suite struct ReloadRowTests {
  private let directory: TemporaryDirectory
  private let listener: ListeningSocket

  init() throws {
    directory = try TemporaryDirectory()
    listener = try ListeningSocket()
  }

  private var path: String { directory.path + "/lastword.toml" }

  /// What a test adds begins in line 9, and its bounds are line 8.
  private func write(drainMs: Int = 5_000, bounds: String = "", _ more: String) throws {
    let text = """
      drainMs = \(drainMs)
      [[listen]]
      address = "127.0.0.1:0"
      [[upstream]]
      name = "main"
      address = "\(listener.address)"
      [bounds]
      \(bounds)
      \(more)
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  private func start() throws -> (RunningGateway, upstream: LineSocket) {
    let gateway = try RunningGateway(["--config", path], listen: [], opensPages: false)
    return (gateway, try listener.acceptGateway())
  }

  private func reload(_ gateway: RunningGateway, says text: String = "configuration reloaded") throws {
    gateway.program.signal(SIGHUP)
    try gateway.awaitLog(text)
  }

  @Test(
    .forLines(.nobody),
    arguments: [
      ("queuePerLane = 0", "8:16: error: 'queuePerLane' must be 1 to "),
      ("quePerLane = 3", "8:1: error: unknown key 'quePerLane' in [bounds]; did you mean 'queuePerLane'?"),
      ("queuePerLane = ", "8:16: error: "),
    ])
  func `a bad configuration is refused in the log with its place and why`(line: String, says: String) throws {
    try write("")
    let (gateway, upstream) = try start()
    try write(bounds: line, "")
    gateway.program.signal(SIGHUP)
    let entry = try gateway.awaitLog(path)
    #expect(entry.contains("[ERR] \(path):\(says)"), "\(entry)")
    try gateway.awaitLog("[ERR] the configuration stays as it was")
    try expectServed(gateway, upstream)
    try FileManager.default.removeItem(atPath: path)
    try reload(gateway, says: "[ERR] \(path): error: cannot be read: No such file or directory")
    try expectServed(gateway, upstream)
    #expect(gateway.stop() == 0)
  }

  private func expectServed(_ gateway: RunningGateway, _ upstream: LineSocket) throws {
    let client = try gateway.connect()
    try client.send(request(1, "canary"))
    try upstream.answer(upstream.asked().id!, "sung")
    #expect(try client.reply().result == "sung")
  }

  private static let before = """
    [[route]]
    method = "join"
    key = "/room"
    policy = "wait"
    compensate = "leave"
    timeoutMs = 3600000
    """

  @Test(arguments: Transport.all)
  func `a task keeps its deadline, its policy and its undoing, and a new one has the new`(
    transport: Transport
  ) throws {
    try write(Self.before)
    let (gateway, upstream) = try start()
    let client = try transport.caller(to: gateway.address)
    try client.send(request(1, "join", #"{"room":"a"}"#))
    try client.send(request(2, "join", #"{"room":"a"}"#))
    let first = try upstream.asked()
    try write("[[route]]\nmethod = \"join\"\ntimeoutMs = 1")
    try reload(gateway)

    // By now it has a deadline, no key and no undoing.
    try client.send(request(3, "join", #"{"room":"a"}"#))
    let late = try client.reply()
    #expect(late.id == 3 && late.code == -32083 && late.upstream == "cancelSent")
    let third = try upstream.asked()
    #expect(third.method == "join")
    #expect(try upstream.asked().cancelled == third.id)
    try upstream.answer(third.id!, "joined too late, for nobody")

    // The others wait for each other, and not for a millisecond only.
    try upstream.answer(first.id!, "joined")
    #expect(try client.reply().result == "joined")
    let second = try upstream.asked()
    try client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}"#)
    #expect(try client.reply().code == -32800)
    #expect(try upstream.asked().cancelled == second.id)
    try upstream.answer(second.id!, "joined")
    #expect(try upstream.asked().method == "leave")
    #expect(try client.isInStep())
  }

  @Test(
    arguments: Transport.all,
    [
      ("[admin]\naddress = \"127.0.0.1:0\"", "10:11: error: 'address' changes with a restart only"),
      ("[[listen]]\naddress = \"127.0.0.1:0\"", "the number of [[listen]] changes with a restart only"),
    ])
  func `of a configuration that takes a restart nothing is applied`(
    transport: Transport, change: (more: String, says: String)
  ) throws {
    try write("")
    let (gateway, upstream) = try start()
    let client = try transport.caller(to: gateway.address)
    try client.send(request(1, "held", key: "k", policy: "wait"))
    let held = try upstream.asked()
    try write(drainMs: 0, bounds: "queuePerLane = 1", change.more)
    try reload(gateway, says: change.says)
    try gateway.awaitLog("the configuration stays as it was")
    for id in 2...4 { try client.send(request(id, "next", key: "k", policy: "wait")) }
    #expect(try client.isInStep())
    gateway.program.signal(SIGTERM)
    try gateway.awaitLog("draining")
    try upstream.answer(held.id!, "one")
    for _ in 2...4 { try upstream.answer(upstream.asked().id!, "and another") }
    #expect(try client.replies(4).allSatisfy { $0.code == nil })
    #expect(try client.receive() == nil)
    client.finish()
    #expect(gateway.program.exitStatus() == 0)
  }

  @Test(arguments: Transport.all)
  func `the drain time is new at once, too`(transport: Transport) throws {
    try write(drainMs: 3_600_000, "")
    let (gateway, upstream) = try start()
    let client = try transport.caller(to: gateway.address)
    try client.send(request(1, "held"))
    _ = try upstream.asked()
    try write(drainMs: 1, "")
    try reload(gateway)
    gateway.program.signal(SIGTERM)
    // With the one that it started with the watchdog would end this.
    #expect(try client.reply().code == -32085)
    #expect(try client.receive() == nil)
    client.finish()
    #expect(gateway.program.exitStatus() == 0)
  }
}
