import TestSupport
import Testing

/// Arrays of messages.
@Suite struct BatchRowTests {
  private static let invalid = #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"#

  @Test(arguments: Transport.all, ["[]", "[ ]", " [\t] "])
  func `an empty batch is one invalid request`(transport: Transport, line: String) throws {
    let scene = try Scene(over: transport)
    try scene.client.send(line)
    try scene.expectError(-32600)
    try scene.expectKept()
  }

  @Test(arguments: Transport.all, [("[1,2,3]", 3), ("[1]", 1), (#"[{},[],null,"x"]"#, 4), ("[[1,2]]", 1)])
  func `a batch of no requests is answered entry by entry`(
    transport: Transport, batch: (line: String, count: Int)
  ) throws {
    let scene = try Scene(over: transport)
    try scene.client.send(batch.line)
    let reply = try scene.client.expect()
    #expect(reply.hasPrefix("[" + Self.invalid) && reply.hasSuffix("]"))
    #expect(reply.ranges(of: Self.invalid).count == batch.count, "\(reply)")
    try scene.expectKept()
  }

  @Test(arguments: Transport.all, ["[1,]", "[", #"[{"jsonrpc":"2.0","id":1,"method":"m"}"#, "[,1]", "[1 2]"])
  func `a batch that is no JSON is one parse error, and nothing of it runs`(
    transport: Transport, line: String
  ) throws {
    let scene = try Scene(over: transport)
    try scene.client.send(line)
    try scene.expectError(-32700)
    try scene.expectKept()
  }

  @Test(arguments: Transport.all)
  func `notifications alone are not answered`(transport: Transport) throws {
    let scene = try Scene(over: transport)
    let note = #"{"jsonrpc":"2.0","method":"note"}"#
    try scene.client.send("[\(note),\(note),\(#"{"jsonrpc":"2.0","method":"lastword.nothing"}"#)]")
    for _ in 0..<2 { #expect(try scene.upstream.expect() == note) }
    try scene.expectKept()
  }

  @Test(arguments: Transport.all)
  func `a mixed batch is one array with an entry for each id`(transport: Transport) throws {
    let scene = try Scene(over: transport)
    let note = #"{"jsonrpc":"2.0","method":"note"}"#
    let unknown = #"{"jsonrpc":"2.0","id":"u","method":"rpc.nothing"}"#
    let response = #"{"jsonrpc":"2.0","id":9,"result":"of nothing"}"#
    try scene.client.send(
      "[\(request(1, "a")),\(note),1,\(request(2, "b")),\(unknown),\(response),\(request(3, "c", key: ""))]")
    let (a, _, b) = (try scene.upstream.asked(), try scene.upstream.asked(), try scene.upstream.asked())
    try scene.upstream.answer(b.id!, "of b")
    #expect(try scene.client.isInStep())
    try scene.upstream.answer(a.id!, "of a")
    let reply = try scene.client.expect()
    let entries = try scene.entries(of: reply)
    #expect(entries.count == 5, "\(reply)")
    #expect(entries["1"] == "of a" && entries["2"] == "of b", "\(reply)")
    #expect(entries["u"] == "-32601" && entries["3"] == "-32602" && entries["null"] == "-32600", "\(reply)")
    try scene.expectKept()
  }

  @Test(arguments: Transport.all, [(1001, ""), (4, "batchItems = 3")])
  func `of a batch over the limit nothing runs`(
    transport: Transport, batch: (count: Int, bounds: String)
  ) throws {
    let scene = try Scene(over: transport, bounds: batch.bounds)
    let items = (1...batch.count).map { request($0, "m") }
    try scene.client.send("[\(items.joined(separator: ","))]")
    try scene.expectError(-32600)
    try scene.expectKept()
    try scene.client.send("[\(items.dropLast().joined(separator: ","))]")
    for _ in 1..<batch.count { try scene.upstream.answer(scene.upstream.asked().id!, "within") }
    #expect(try scene.entries(of: scene.client.expect()).count == batch.count - 1)
  }

  @Test(arguments: Transport.all)
  func `of two requests under one key the later in the array wins`(transport: Transport) throws {
    let scene = try Scene(over: transport)
    let (a, b) = (request(1, "a", key: "k", policy: "cancel"), request(2, "b", key: "k", policy: "cancel"))
    try scene.client.send("[\(a),\(b)]")
    var asked = try scene.upstream.asked()
    if asked.method == "a" {
      #expect(try scene.upstream.asked().cancelled == asked.id)
      asked = try scene.upstream.asked()
    }
    #expect(asked.method == "b")
    try scene.upstream.answer(asked.id!, "newest")
    #expect(try scene.entries(of: scene.client.expect()) == ["1": "-32080", "2": "newest"])
    try scene.expectKept()
  }

  @Test(arguments: Transport.all)
  func `when the reply grows over its limit, the rest of the entries say so`(transport: Transport) throws {
    let scene = try Scene(over: transport, bounds: "batchReplyBytes = 1024")
    let items = (1...6).map { request($0, "m\($0)") }
    try scene.client.send("[\(items.joined(separator: ","))]")
    let asked = try (1...6).map { _ in try scene.upstream.asked() }
    let large = String(repeating: "x", count: 400)
    for one in asked { try scene.upstream.answer(one.id!, large) }
    let entries = try scene.entries(of: scene.client.expect())
    #expect(entries == ["1": large, "2": large, "3": "-32086", "4": "-32086", "5": "-32086", "6": "-32086"])
    try scene.expectKept()
  }

  @Test(arguments: Transport.all)
  func `a batch whose entries only we answer leaves at once`(transport: Transport) throws {
    let scene = try Scene(over: transport)
    let ping = #"{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}"#
    try scene.client.send("[\(ping)]")
    #expect(try scene.client.expect() == #"[{"jsonrpc":"2.0","id":1,"result":null}]"#)
    try scene.expectKept()
  }
}
