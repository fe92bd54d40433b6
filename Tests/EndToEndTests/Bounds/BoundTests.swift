import Foundation
import TestSupport
import Testing

extension RunningGateway {
  /// One whose configuration file has these lines in its block `[bounds]`.
  convenience init(
    bounds: String, in directory: TemporaryDirectory, upstream: String? = nil, listen: String = "127.0.0.1:0"
  ) throws {
    let path = directory.path + "/lastword.toml"
    try Data("[bounds]\n\(bounds)\n".utf8).write(to: URL(fileURLWithPath: path))
    try self.init(upstream: upstream, ["--config", path], listen: [listen])
  }
}

/// The bounds that a file sets, met by real clients: exactly at one it is served, one more is refused, the next is
/// served.
@Suite struct BoundTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func padded(_ text: String, to byteCount: Int) -> String {
    text + String(repeating: " ", count: byteCount - text.utf8.count)
  }

  // MARK: One message

  @Test func `a message`() throws {
    let gateway = try RunningGateway(bounds: "messageBytes = 1024", in: directory)
    let client = try gateway.connect()
    let echo = request(1, "echo", "[1]")
    #expect(try client.call(padded(echo, to: 1024)) == #"{"jsonrpc":"2.0","id":1,"result":[1]}"#)
    #expect(try Reply(client.call(padded(echo, to: 1025))).code == -32086)
    #expect(try client.isInStep())
  }

  @Test func `nesting`() throws {
    let gateway = try RunningGateway(bounds: "nestingLevels = 4", in: directory)
    let client = try gateway.connect()
    #expect(try client.call(request(1, "echo", "[[[]]]")) == #"{"jsonrpc":"2.0","id":1,"result":[[[]]]}"#)
    #expect(try Reply(client.call(request(2, "echo", "[[[[]]]]"))).code == -32700)
    #expect(try client.isInStep())
  }

  @Test func `nesting and methods for a handler in the same process`() throws {
    let gateway = try RunningGateway(bounds: "nestingLevels = 1000\nmethodBytes = 1000", in: directory)
    let client = try gateway.connect()
    let deep = String(repeating: "[", count: 999) + String(repeating: "]", count: 999)
    #expect(try client.call(request(1, "echo", deep)) == #"{"jsonrpc":"2.0","id":1,"result":\#(deep)}"#)
    #expect(try Reply(client.call(request(2, String(repeating: "m", count: 1000)))).code == -32601)
    #expect(try client.isInStep())
  }

  @Test func `of notifications that find no room the first is logged, and all count as lost`() throws {
    let gateway = try RunningGateway(bounds: "tasksPerConnection = 1", in: directory)
    let client = try gateway.connect()
    try client.send(request(1, "sleep", #"{"ms":50000}"#))
    try client.send(#"{"jsonrpc":"2.0","method":"first"}"#)
    try client.send(#"{"jsonrpc":"2.0","method":"second"}"#)
    #expect(try client.isInStep())
    let told = try gateway.awaitLog("a notification was refused and is lost")
    #expect(told.contains("method=first"))
    #expect(told.contains("too many tasks of this connection"))
    #expect(try gateway.metrics()["lastword_notifications_lost_total"] == 2)
    gateway.program.kill()
    while let line = gateway.program.errorLine() { #expect(!line.contains("a notification was refused")) }
  }

  @Test func `the items of a batch`() throws {
    let gateway = try RunningGateway(bounds: "batchItems = 2", in: directory)
    let client = try gateway.connect()
    let echo = request(1, "echo", "[1]")
    let answer = #"{"jsonrpc":"2.0","id":1,"result":[1]}"#
    #expect(try client.call("[\(echo),\(echo)]") == "[\(answer),\(answer)]")
    #expect(try Reply(client.call("[\(echo),\(echo),\(echo)]")).code == -32600)
    #expect(try client.isInStep())
  }

  @Test func `the reply to a batch`() throws {
    let gateway = try RunningGateway(bounds: "batchReplyBytes = 1024", in: directory)
    let client = try gateway.connect()
    func reply(_ byteCount: Int) throws -> String {
      let params = #"["\#(String(repeating: "x", count: byteCount))"]"#
      return try client.call("[\(request(1, "echo", params)),\(request(2, "echo", "[2]"))]")
    }
    let whole = try reply(0)
    #expect(!whole.contains("error"))
    let most = try reply(1024 - whole.utf8.count)
    #expect(most.utf8.count == 1024 && !most.contains("error"))
    #expect(try reply(1025 - whole.utf8.count).matches(of: /"code":-32086/).count == 1)
    #expect(try client.isInStep())
  }

  // MARK: Many requests

  @Test func `unanswered requests of a connection`() throws {
    let listener = try ListeningSocket()
    let gateway = try RunningGateway(
      bounds: "unansweredPerConnection = 2", in: directory, upstream: listener.address)
    let (upstream, client, other) = (
      try listener.acceptGateway(), try gateway.connect(), try gateway.connect()
    )
    for id in 1...3 { try client.send(request(id, "m\(id)")) }
    let refused = try client.reply()
    #expect(refused.id == 3 && refused.code == -32082 && refused.upstream == "notSent")
    let asked = try [upstream.asked(), upstream.asked()]
    try other.send(request(4, "of another"))
    #expect(try upstream.asked().method == "of another")
    try client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}"#)
    #expect(try client.reply().code == -32800)
    #expect(try upstream.asked().cancelled == asked[1].id)
    try client.send(request(5, "m5"))
    #expect(try upstream.asked().method == "m5")
    #expect(try client.isInStep() && other.isInStep())
  }

  @Test func `tasks overall`() throws {
    let listener = try ListeningSocket()
    // Each loop has an equal part: with one key all of them are in one.
    let gateway = try RunningGateway(
      bounds: "tasks = \(2 * RunningGateway.loops)", in: directory, upstream: listener.address)
    func asking(_ id: Int) -> String { request(id, "m\(id)", key: "k", policy: "concurrent") }
    let (upstream, client, other) = (
      try listener.acceptGateway(), try gateway.connect(), try gateway.connect()
    )
    try client.send(asking(1))
    let first = try upstream.asked()
    try other.send(asking(2))
    #expect(try upstream.asked().method == "m2")
    #expect(try Reply(other.call(asking(3))).code == -32082)
    try upstream.answer(first.id!, "done")
    #expect(try client.reply().result == "done")
    try other.send(asking(4))
    #expect(try upstream.asked().method == "m4")
    #expect(try client.isInStep() && other.isInStep())
  }

  @Test func `the tasks of a key`() throws {
    let listener = try ListeningSocket()
    let gateway = try RunningGateway(bounds: "tasksPerLane = 1", in: directory, upstream: listener.address)
    let (upstream, client) = (try listener.acceptGateway(), try gateway.connect())
    for id in 1...2 { try client.send(request(id, "m\(id)", key: "k", policy: "concurrent")) }
    let refused = try client.reply()
    #expect(refused.id == 2 && refused.code == -32082)
    try upstream.answer(upstream.asked().id!, "done")
    #expect(try client.reply().result == "done")
    try client.send(request(3, "m3", key: "k", policy: "concurrent"))
    #expect(try upstream.asked().method == "m3")
  }

  @Test func `the queue of a key`() throws {
    let listener = try ListeningSocket()
    let gateway = try RunningGateway(bounds: "queuePerLane = 1", in: directory, upstream: listener.address)
    let (upstream, client) = (try listener.acceptGateway(), try gateway.connect())
    for id in 1...3 { try client.send(request(id, "m\(id)", key: "k", policy: "wait")) }
    let refused = try client.reply()
    #expect(refused.id == 3 && refused.code == -32082)
    try upstream.answer(upstream.asked().id!, "done")
    #expect(try client.reply().result == "done")
    let second = try upstream.asked()
    #expect(second.method == "m2")
    try client.send(request(4, "m4", key: "k", policy: "wait"))
    #expect(try client.isInStep())
    try upstream.answer(second.id!, "done, too")
    #expect(try client.reply().result == "done, too")
    #expect(try upstream.asked().method == "m4")
  }
}
