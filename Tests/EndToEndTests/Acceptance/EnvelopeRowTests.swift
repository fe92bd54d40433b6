import TestSupport
import Testing

/// What is JSON and no request, and ids in every spelling.
@Suite struct EnvelopeRowTests {
  @Test(
    arguments: Transport.all,
    [
      "1", "null", #""x""#, "true", "{}", #"{"a":1}"#,
      #"{"jsonrpc":"2.0","id":[],"method":"m"}"#, #"{"jsonrpc":"2.0","id":{},"method":"m"}"#,
      #"{"jsonrpc":"2.0","id":true,"method":"m"}"#, #"{"jsonrpc":"2.0","id":false,"method":"m"}"#,
      longID(127), #"{"jsonrpc":"2.0","id":\#(String(repeating: "1", count: 129)),"method":"m"}"#,
    ])
  func `without an id to answer to, an invalid request hears null`(transport: Transport, line: String) throws
  {
    let scene = try Scene(over: transport)
    try scene.client.send(line)
    try scene.expectError(-32600)
    try scene.expectKept()
  }

  private static func longID(_ count: Int) -> String {
    #"{"jsonrpc":"2.0","id":"\#(String(repeating: "x", count: count))","method":"m"}"#
  }

  @Test(
    arguments: Transport.all,
    [
      #"{"id":7,"method":"m"}"#, #"{"jsonrpc":"1.0","id":7,"method":"m"}"#,
      #"{"jsonrpc":2.0,"id":7,"method":"m"}"#, #"{"jsonrpc":null,"id":7,"method":"m"}"#,
      #"{"jsonrpc":"2.0 ","id":7,"method":"m"}"#, #"{"JSONRPC":"2.0","id":7,"method":"m"}"#,
      #"{"jsonrpc":"2.0","id":7}"#, #"{"jsonrpc":"2.0","id":7,"method":1}"#,
      #"{"jsonrpc":"2.0","id":7,"method":null}"#, #"{"jsonrpc":"2.0","id":7,"method":["m"]}"#,
      #"{"jsonrpc":"2.0","id":7,"method":"m","params":1}"#,
      #"{"jsonrpc":"2.0","id":7,"method":"m","params":"x"}"#,
      #"{"jsonrpc":"2.0","id":7,"method":"m","params":true}"#,
      #"{"jsonrpc":"2.0","id":7,"method":"\#(String(repeating: "m", count: 257))"}"#,
    ])
  func `an invalid request hears so with its own id`(transport: Transport, line: String) throws {
    let scene = try Scene(over: transport)
    try scene.client.send(line)
    try scene.expectError(-32600, id: "7")
    try scene.expectKept()
  }

  @Test(
    arguments: Transport.all,
    [
      "1.0", "1e2", "9007199254740993", "123456789012345678901234567890", "1.5", "-0", "-1", #""\u0041""#,
      #""""#, #""\ud800""#, "\"\u{e9}\"", "null", String(repeating: "1", count: 128),
      "\"" + String(repeating: "x", count: 126) + "\"",
    ])
  func `an id comes back byte for byte, in results and in errors`(transport: Transport, id: String) throws {
    let scene = try Scene(over: transport)
    try scene.client.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"m"}"#)
    let asked = try scene.upstream.asked()
    try scene.upstream.send(#"{"jsonrpc":"2.0","id":\#(asked.id!),"result":[]}"#)
    #expect(try scene.client.expect() == #"{"jsonrpc":"2.0","id":\#(id),"result":[]}"#)
    try scene.client.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"lastword.nothing"}"#)
    try scene.expectError(-32601, id: id)
    try scene.expectKept()
  }

  @Test(
    arguments: Transport.all,
    [
      "lastword.nothing", "lastword.", #"lastword\u002enothing"#, "rpc.nothing", "rpc.", #"\u0072pc.nothing"#,
    ])
  func `an unknown method under our names is not found, and never forwarded`(
    transport: Transport, method: String
  ) throws {
    let scene = try Scene(over: transport)
    try scene.client.send(#"{"jsonrpc":"2.0","id":7,"method":"\#(method)","params":[]}"#)
    try scene.expectError(-32601, id: "7")
    try scene.expectKept()
  }

  @Test(arguments: Transport.all)
  func `what upstream does not know it says itself`(transport: Transport) throws {
    let scene = try Scene(over: transport)
    try scene.client.send(request(7, "nothing"))
    let id = try #require(try scene.upstream.asked().id)
    let error = #""error":{"code":-32601, "message":"never heard of it","data":[1.0]}"#
    try scene.upstream.send(#"{"jsonrpc":"2.0","id":\#(id),\#(error)}"#)
    #expect(try scene.client.expect() == #"{"jsonrpc":"2.0","id":7,\#(error)}"#)
    try scene.expectKept()
  }

  @Test(arguments: Transport.all)
  func `unknown members are ignored and stripped`(transport: Transport) throws {
    let scene = try Scene(over: transport)
    try scene.client.send(
      #"{"x":{"a":[1]},"jsonrpc":"2.0","":0,"id":7,"method":"m","Params":1,"params":[2],"ta\u0073k":{"key":"k"}}"#
    )
    let line = try scene.upstream.expect()
    let id = try #require(line.upstreamID)
    #expect(line == #"{"jsonrpc":"2.0","id":\#(id),"method":"m","params":[2]}"#)
    try scene.upstream.answer(id, "served")
    #expect(try scene.client.reply().result == "served")
    try scene.expectKept()
  }

  @Test(
    arguments: Transport.all,
    [
      #"{"jsonrpc":"2.0","id":1,"result":"of nothing"}"#,
      #"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"of nothing"}}"#,
      #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}"#,
    ])
  func `a response that nobody asked for is not answered`(transport: Transport, line: String) throws {
    let scene = try Scene(over: transport)
    for _ in 0..<3 { try scene.client.send(line) }
    try scene.expectKept()
  }

  @Test(
    arguments: Transport.all,
    [
      #"{"jsonrpc":"1.0","method":"m"}"#, #"{"method":"m"}"#, #"{"jsonrpc":"2.0","method":"m","params":1}"#,
      #"{"jsonrpc":"2.0","method":"m","method":"m"}"#, #"{"jsonrpc":"2.0","method":"lastword.nothing"}"#,
      #"{"jsonrpc":"2.0","method":"rpc.nothing"}"#, #"{"jsonrpc":"2.0","method":"m","task":1}"#,
      #"{"jsonrpc":"2.0","method":"m","task":{"polcy":"cancel"}}"#,
      #"{"jsonrpc":"2.0","method":"m","task":{"key":""}}"#,
      #"{"jsonrpc":"2.0","method":"m","task":{"key":"k","policy":"latest"}}"#,
      #"{"jsonrpc":"2.0","method":"\#(String(repeating: "m", count: 257))"}"#,
      #"{"jsonrpc":"2.0","method":"lastword.call","params":{"method":"lastword.call"}}"#,
      #"{"jsonrpc":"2.0","method":"lastword.cancel","params":{"name":"k"}}"#,
      #"{"jsonrpc":"2.0","method":"lastword.ping"}"#,
    ])
  func `a notification is not answered, whatever is wrong with it`(transport: Transport, line: String) throws
  {
    let scene = try Scene(over: transport)
    try scene.client.send(line)
    try scene.expectKept()
  }

  @Test(arguments: Transport.all)
  func `a notification that meets a full queue is not answered`(transport: Transport) throws {
    let scene = try Scene(over: transport, bounds: "queuePerLane = 1")
    let note = #"{"jsonrpc":"2.0","method":"note","task":{"key":"k","policy":"wait"}}"#
    try scene.client.send(request(1, "m", key: "k", policy: "wait"))
    let first = try scene.upstream.asked()
    try scene.client.send(note)
    try scene.client.send(note)
    #expect(try scene.client.isInStep())
    try scene.upstream.answer(first.id!, "done")
    #expect(try scene.client.reply().result == "done")
    #expect(try scene.upstream.asked().method == "note")
    try scene.expectKept()
  }

  @Test(arguments: Transport.all)
  func `a notification that no upstream can take is not answered`(transport: Transport) throws {
    let closed = try ClosedPort()
    defer { withExtendedLifetime(closed) {} }
    let text = ConfigurationFile.text(bounds: "connectMs = 100", upstream: "address = \"\(closed.address)\"")
    let gateway = try RunningGateway(configured: text, in: TemporaryDirectory(), reachesUpstream: false)
    let client = try transport.caller(to: gateway.address)
    try client.send(#"{"jsonrpc":"2.0","method":"note"}"#)
    try client.send(request(1, "m"))
    #expect(try client.expect().isError(-32084, id: "1"))
    #expect(try client.isInStep())
  }

  @Test(arguments: Transport.all)
  func `two requests with one id are both answered`(transport: Transport) throws {
    let scene = try Scene(over: transport)
    for _ in 1...2 { try scene.client.send(request(7, "m")) }
    for text in ["first", "second"] { try scene.upstream.answer(scene.upstream.asked().id!, text) }
    let replies = try (1...2).map { _ in try scene.client.reply() }
    #expect(replies.allSatisfy { $0.id == 7 })
    let results = replies.compactMap(\.result)
    #expect((transport.keepsOrder ? results : results.sorted()) == ["first", "second"])
    try scene.expectKept()
  }

  @Test(arguments: Transport.all)
  func `params of null are none`(transport: Transport) throws {
    let scene = try Scene(over: transport)
    try scene.client.send(#"{"jsonrpc":"2.0","id":1,"method":"m","params":null}"#)
    let line = try scene.upstream.expect()
    let id = try #require(line.upstreamID)
    #expect(line == #"{"jsonrpc":"2.0","id":\#(id),"method":"m"}"#)
    try scene.upstream.answer(id, "served")
    #expect(try scene.client.reply().result == "served")
    try scene.expectKept()
  }
}
