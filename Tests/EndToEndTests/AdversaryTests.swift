import TestSupport
import Testing

/// An upstream that does what upstreams should not.
@Suite struct AdversaryTests {
  let listener: ListeningSocket
  let gateway: RunningGateway
  let upstream: LineSocket
  let client: LineSocket

  init() throws {
    listener = try ListeningSocket()
    gateway = try RunningGateway(upstream: listener.address)
    upstream = try listener.acceptGateway()
    client = try gateway.connect()
  }

  @Test func `a late, second, foreign or disordered answer reaches nobody`() throws {
    try client.send(request(1, "a", key: "k", policy: "cancel"))
    let a = try upstream.asked()
    try client.send(request(2, "ab", key: "k", policy: "cancel"))
    #expect(try client.reply().code == -32080)
    let cancel = try upstream.asked()
    #expect(cancel.method == "$/cancelRequest" && cancel.cancelled == a.id)
    let ab = try upstream.asked()
    #expect(ab.method == "ab")
    try upstream.answer(a.id!, "late")
    try upstream.answer(a.id!, "twice")
    try upstream.answer(ab.id! + 1_000, "foreign")
    try upstream.send(#"{"jsonrpc":"2.0","id":"\#(ab.id!)","result":"an id of another kind"}"#)
    try upstream.send(#"{"jsonrpc":"2.0","id":\#(ab.id!).0,"result":"an id spelled otherwise"}"#)
    try upstream.send(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}"#)
    try upstream.answer(ab.id!, "right")
    try upstream.answer(ab.id!, "again")
    #expect(try client.reply() == Reply(#"{"jsonrpc":"2.0","id":2,"result":"right"}"#))
    #expect(try client.isInStep())
  }

  @Test func `answers in another order each find their caller`() throws {
    for id in 1...3 { try client.send(request(id, "m\(id)")) }
    let asked = try (0..<3).map { _ in try upstream.asked() }
    for one in asked.reversed() { try upstream.answer(one.id!, "for \(one.method)") }
    #expect(try client.replies(3).map(\.result) == ["for m1", "for m2", "for m3"])
  }

  @Test func `an upstream that ignores cancel is held to four tasks of a key, and the newest still wins`()
    throws
  {
    for id in 1...20 { try client.send(request(id, "m\(id)", key: "k", policy: "cancel")) }
    #expect(try client.replies(19).allSatisfy { $0.code == -32080 })
    var open: [Int] = []
    while open.count < 4 {
      let asked = try upstream.asked()
      if let id = asked.id { open.append(id) }
    }
    #expect(try upstream.asked().method == "$/cancelRequest")
    try upstream.answer(open[0], "late")
    let newest = try upstream.asked()
    #expect(newest.method == "m20")
    try upstream.answer(newest.id!, "won")
    #expect(try client.reply().result == "won")
    #expect(try client.isInStep())
  }

  @Test func `garbage resets the upstream's connection, and service goes on`() throws {
    try client.send(request(1, "a"))
    _ = try upstream.asked()
    try upstream.send("HTTP/1.1 400 Bad Request")
    let lost = try client.reply()
    #expect(lost.code == -32084 && lost.upstream == "mayHaveCompleted")
    // Of several loops the one that the client came to.
    let next = try listener.accept()
    try client.send(request(2, "b"))
    try next.answer(next.asked().id!, "served")
    #expect(try client.reply().result == "served")
  }

  @Test func `an answer that is no JSON-RPC fails its own request only`() throws {
    try client.send(request(1, "a"))
    try client.send(request(2, "b"))
    let (a, b) = (try upstream.asked(), try upstream.asked())
    try upstream.send(#"{"jsonrpc":"2.0","id":\#(a.id!),"result":1,"error":{"code":1,"message":"both"}}"#)
    try upstream.answer(b.id!, "fine")
    let replies = try client.replies(2)
    #expect(replies[0].code == -32084 && replies[1].result == "fine")
  }

  @Test func `what was in flight when the connection broke is not sent again`() throws {
    try client.send(request(1, "a"))
    _ = try upstream.asked()
    upstream.reset()
    let lost = try client.reply()
    #expect(lost.code == -32084 && lost.phase == "running" && lost.upstream == "mayHaveCompleted")
    let next = try listener.acceptGateway()
    try client.send(request(2, "b"))
    #expect(try next.asked().method == "b")
  }

  @Test func `a request in a dialect without answers to cancels frees its key at once`() throws {
    let listener = try ListeningSocket()
    let gateway = try RunningGateway(upstream: listener.address, ["--cancel", "mcp"])
    let (upstream, client) = (try listener.acceptGateway(), try gateway.connect())
    try client.send(request(1, "a", key: "k", policy: "cancelAndWait"))
    let a = try upstream.asked()
    try client.send(request(2, "b", key: "k", policy: "cancelAndWait"))
    let cancel = try upstream.asked()
    #expect(cancel.method == "notifications/cancelled" && cancel.cancelled == a.id)
    #expect(try upstream.asked().method == "b")
  }

  @Test func `with no dialect upstream hears nothing, and the caller that it may have done the work`() throws
  {
    let listener = try ListeningSocket()
    let gateway = try RunningGateway(upstream: listener.address, ["--cancel", "none"])
    let (upstream, client) = (try listener.acceptGateway(), try gateway.connect())
    try client.send(request(1, "a", key: "k", policy: "cancel"))
    _ = try upstream.asked()
    try client.send(request(2, "b", key: "k", policy: "cancel"))
    #expect(try client.reply().upstream == "mayHaveCompleted")
    #expect(try upstream.asked().method == "b")
  }

  @Test func `what goes upstream is byte-equal, and only ours is stripped`() throws {
    let params = #"{"n":1.0, "big":123456789012345678901234567890,"s":"\u0041\ud83d\ude00","x":[1e400]}"#
    try client.send(
      #"{"jsonrpc":"2.0", "id" : "\u0041", "extra":1,"method":"m\u0031","params":\#(params),"task":{"key":"k"}}"#
    )
    let line = try upstream.expect()
    let id = try #require(line.firstMatch(of: /"id":(\d+)/)).1
    #expect(line == #"{"jsonrpc":"2.0","id":\#(id),"method":"m\u0031","params":\#(params)}"#)
    try upstream.send(#"{ "result" : {"a": 1.50}, "id":\#(id),"jsonrpc":"2.0"}"#)
    #expect(try client.expect() == #"{"jsonrpc":"2.0","id":"\u0041","result":{"a": 1.50}}"#)
  }

  @Test func `a notification goes upstream without an id, and is not answered`() throws {
    try client.send(#"{"jsonrpc":"2.0","method":"note","params":[1]}"#)
    #expect(try upstream.expect() == #"{"jsonrpc":"2.0","method":"note","params":[1]}"#)
    #expect(try client.isInStep())
  }

  @Test func `a disconnect cancels what only that client wanted`() throws {
    try client.send(request(1, "a"))
    let a = try upstream.asked()
    client.reset()
    #expect(try upstream.asked().cancelled == a.id)
  }

  @Test func `a half-closed client still gets its answers, and then the connection closes`() throws {
    try client.send(request(1, "a"))
    client.finish()
    try upstream.answer(upstream.asked().id!, "after the end")
    #expect(try client.reply().result == "after the end")
    #expect(try client.receive() == nil)
  }
}
