import Foundation
import TestSupport
import Testing

/// What a configuration file makes of requests whose clients know nothing of it.
@Suite struct ConfiguredTests {
  let main: ListeningSocket
  let other: ListeningSocket
  let gateway: RunningGateway
  let upstream: LineSocket
  let otherUpstream: LineSocket
  let client: LineSocket

  init() throws {
    main = try ListeningSocket()
    other = try ListeningSocket()
    let directory = try TemporaryDirectory()
    let path = directory.path + "/lastword.toml"
    let text = Self.file(main: main.address, other: other.address)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    gateway = try RunningGateway(["--config", path], listen: [])
    (upstream, otherUpstream) = (try main.acceptGateway(), try other.acceptGateway())
    try gateway.awaitLog("upstream connected")
    client = try LineSocket(gateway.addresses[0])
  }

  private static func file(main: String, other: String) -> String {
    """
    [[listen]]
    address = "127.0.0.1:0"
    [[listen]]
    address = "127.0.0.1:0"
    errorProfile = "lsp"
    scope = "connection"
    [[upstream]]
    name = "main"
    address = "\(main)"
    [[upstream]]
    name = "other"
    address = "\(other)"
    [[route]]
    method = "textDocument/*"
    key = "/textDocument/uri"
    [[route]]
    method = "textDocument/format"
    key = "/textDocument/uri"
    policy = "wait"
    policies = ["wait", "preferPrevious"]
    [[route]]
    method = "strict"
    key = "/0"
    requireKey = true
    [[route]]
    method = "other/*"
    upstream = "other"
    key = "/key"
    timeoutMs = 50
    """
  }

  private func document(_ id: Int, _ method: String, _ uri: String, task: String = "") -> String {
    let params = #"{"textDocument":{"uri":"\#(uri)"},"line":1.0}"#
    return #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)\#(task)}"#
  }

  // MARK: Keys

  @Test func `a key in the params supersedes, and the params stay as they are`() throws {
    try client.send(document(1, "textDocument/hover", "file:///a"))
    let line = try upstream.expect()
    let older = try #require(line.upstreamID)
    #expect(
      line.hasSuffix(
        #""method":"textDocument/hover","params":{"textDocument":{"uri":"file:///a"},"line":1.0}}"#))
    try client.send(document(2, "textDocument/hover", "file:///b"))
    let apart = try upstream.asked()
    try client.send(document(3, "textDocument/hover", #"file:\/\/\/a"#))
    let superseded = try client.expect()
    #expect(superseded.isError(-32080, id: "1"))
    #expect(superseded.contains(#""data":{"key":"file:///a","#))
    #expect(try upstream.asked().cancelled == older)
    try upstream.answer(upstream.asked().id!, "of a")
    try upstream.answer(apart.id!, "of b")
    #expect(try client.replies(2).map(\.result) == ["of b", "of a"])
    #expect(try client.isInStep())
  }

  @Test(arguments: ["{}", "[]", #"{"textDocument":{}}"#, #"{"textDocument":{"uri":null}}"#, "[1,2]"])
  func `where the params hold no key there is none`(params: String) throws {
    for id in 1...2 { try client.send(request(id, "textDocument/hover", params)) }
    for _ in 1...2 { try upstream.answer(upstream.asked().id!, "both") }
    #expect(try client.replies(2).map(\.result) == ["both", "both"])
  }

  @Test func `a key that the request says itself wins over the one in its params`() throws {
    try client.send(document(1, "textDocument/hover", "file:///a", task: #","task":{"key":"mine"}"#))
    try client.send(document(2, "textDocument/hover", "file:///a"))
    for _ in 1...2 { try upstream.answer(upstream.asked().id!, "both") }
    #expect(try client.replies(2).map(\.result) == ["both", "both"])
  }

  @Test(arguments: ["[]", "{}", "[null]", #"[""]"#, "[{}]"])
  func `where a route requires a key, a request without one is refused`(params: String) throws {
    #expect(try client.call(request(1, "strict", params)).isError(-32602, id: "1"))
    try client.send(request(2, "strict", "[7]"))
    try upstream.answer(upstream.asked().id!, "with a key")
    #expect(try client.reply().result == "with a key")
    #expect(try client.isInStep())
  }

  // MARK: Policies

  @Test func `the most specific route's policy applies, and others are refused`() throws {
    try client.send(document(1, "textDocument/format", "file:///a"))
    try client.send(document(2, "textDocument/format", "file:///a"))
    let first = try upstream.asked()
    let refused = try client.call(
      document(3, "textDocument/format", "file:///a", task: #","task":{"policy":"cancel"}"#))
    #expect(refused.isError(-32602, id: "3") && refused.contains("task.policy"))
    let busy = document(4, "textDocument/format", "file:///a", task: #","task":{"policy":"preferPrevious"}"#)
    // The newest asks the very same, so that this one shares its answer.
    try client.send(busy)
    try upstream.answer(first.id!, "one")
    try upstream.answer(upstream.asked().id!, "two")
    #expect(try client.replies(3).map(\.result) == ["one", "two", "two"])
    #expect(try client.isInStep())
  }

  // MARK: Upstreams

  @Test func `a route's requests go to its upstream, with its deadline, and so do their cancels`() throws {
    try client.send(request(1, "other/m", #"{"key":"k"}"#))
    try client.send(request(2, "m"))
    let asked = try otherUpstream.asked()
    #expect(asked.method == "other/m")
    let here = try upstream.asked()
    #expect(here.method == "m")
    #expect(try client.reply().code == -32083)
    #expect(try otherUpstream.asked().cancelled == asked.id)
    try upstream.answer(here.id!, "unharmed")
    #expect(try client.reply().result == "unharmed")
    #expect(try client.isInStep())
  }

  @Test func `an upstream that is lost fails its own requests only`() throws {
    try client.send(#"{"jsonrpc":"2.0","id":1,"method":"other/m","task":{"timeoutMs":60000}}"#)
    try client.send(request(2, "m"))
    _ = try otherUpstream.asked()
    let here = try upstream.asked()
    otherUpstream.reset()
    let lost = try client.reply()
    #expect(lost.id == 1 && lost.code == -32084 && lost.upstream == "mayHaveCompleted")
    try upstream.answer(here.id!, "unharmed")
    #expect(try client.reply().result == "unharmed")
  }

  // MARK: Listeners

  @Test func `a listener for editors tells the superseded what they do not show, with keys per connection`()
    throws
  {
    let editors = try (1...2).map { _ in try LineSocket(gateway.addresses[1]) }
    try editors[0].send(document(1, "textDocument/hover", "file:///a"))
    try editors[1].send(document(1, "textDocument/hover", "file:///a"))
    let asked = try (1...2).map { _ in try upstream.asked() }
    try editors[0].send(document(2, "textDocument/hover", "file:///a"))
    #expect(try editors[0].expect().isError(-32801, id: "1"))
    let cancelled = try upstream.asked().cancelled
    try upstream.answer(upstream.asked().id!, "newest")
    #expect(try editors[0].reply().result == "newest")
    let untouched = try #require(asked.map(\.id!).first { $0 != cancelled })
    try upstream.answer(untouched, "untouched")
    #expect(try editors[1].reply().result == "untouched")
  }
}
