import TestSupport
import Testing

/// Arrays of messages.
@Suite struct BatchRowTests {
  private static let invalid = #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"#

  @Test(arguments: ["[]", "[ ]", " [\t] "])
  func `an empty batch is one invalid request`(line: String) throws {
    let scene = try Scene()
    try scene.client.send(line)
    try scene.expectError(-32600)
    try scene.expectKept()
  }

  @Test(arguments: [("[1,2,3]", 3), ("[1]", 1), (#"[{},[],null,"x"]"#, 4), ("[[1,2]]", 1)])
  func `a batch of no requests is answered entry by entry`(line: String, count: Int) throws {
    let scene = try Scene()
    try scene.client.send(line)
    let reply = try scene.client.expect()
    #expect(reply.hasPrefix("[" + Self.invalid) && reply.hasSuffix("]"))
    #expect(reply.ranges(of: Self.invalid).count == count, "\(reply)")
    try scene.expectKept()
  }

  @Test(arguments: ["[1,]", "[", #"[{"jsonrpc":"2.0","id":1,"method":"m"}"#, "[,1]", "[1 2]"])
  func `a batch that is no JSON is one parse error, and nothing of it runs`(line: String) throws {
    let scene = try Scene()
    try scene.client.send(line)
    try scene.expectError(-32700)
    try scene.expectKept()
  }

  @Test func `notifications alone are not answered`() throws {
    let scene = try Scene()
    let note = #"{"jsonrpc":"2.0","method":"note"}"#
    try scene.client.send("[\(note),\(note),\(#"{"jsonrpc":"2.0","method":"lastword.nothing"}"#)]")
    for _ in 0..<2 { #expect(try scene.upstream.expect() == note) }
    try scene.expectKept()
  }

  @Test func `a mixed batch is one array with an entry for each id`() throws {
    let scene = try Scene()
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

  @Test(arguments: [(1001, ""), (4, "batchItems = 3")])
  func `of a batch over the limit nothing runs`(count: Int, bounds: String) throws {
    let scene = try Scene(bounds: bounds)
    let items = (1...count).map { request($0, "m") }
    try scene.client.send("[\(items.joined(separator: ","))]")
    try scene.expectError(-32600)
    try scene.expectKept()
    try scene.client.send("[\(items.dropLast().joined(separator: ","))]")
    for _ in 1..<count { try scene.upstream.answer(scene.upstream.asked().id!, "within") }
    #expect(try scene.entries(of: scene.client.expect()).count == count - 1)
  }

  @Test func `of two requests under one key the later in the array wins`() throws {
    let scene = try Scene()
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

  @Test func `when the reply grows over its limit, the rest of the entries say so`() throws {
    let scene = try Scene(bounds: "batchReplyBytes = 1024")
    let items = (1...6).map { request($0, "m\($0)") }
    try scene.client.send("[\(items.joined(separator: ","))]")
    let asked = try (1...6).map { _ in try scene.upstream.asked() }
    let large = String(repeating: "x", count: 400)
    for one in asked { try scene.upstream.answer(one.id!, large) }
    let entries = try scene.entries(of: scene.client.expect())
    #expect(entries == ["1": large, "2": large, "3": "-32086", "4": "-32086", "5": "-32086", "6": "-32086"])
    try scene.expectKept()
  }

  @Test func `a batch whose entries only we answer leaves at once`() throws {
    let scene = try Scene()
    let ping = #"{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}"#
    try scene.client.send("[\(ping)]")
    #expect(try scene.client.expect() == #"[{"jsonrpc":"2.0","id":1,"result":null}]"#)
    try scene.expectKept()
  }
}
