import Foundation
import TestSupport
import Testing

/// Texts as messages of JSON-RPC, both ways.
@Suite struct WebSocketMessageTests {
  // MARK: What is wrong with a text

  @Test(arguments: [
    "", " ", "\n", "\r\n\t ", "hello", "{", "}", "]", "[", "Content-Length: 5", "GET / HTTP/1.1", "\u{0}",
    "\u{1}",
    "\u{feff}{}", "{} {}", "{\"a\":\n", "nul", "\"", "{\"jsonrpc\":\"2.0\",}", "{\"jsonrpc\":\"2.0\"}\n{",
  ])
  func `each text that is no JSON is answered by itself, and the connection stays`(text: String) throws {
    let scene = try WebSocketScene()
    let peer = try scene.open()
    for _ in 0..<3 {
      let answer = try peer.call(text)
      #expect(answer.isError(-32700, id: "null"), "\(answer)")
    }
    #expect(try peer.isInStep())
    try scene.expectServed(peer)
  }

  @Test func `the lines of one text in several texts are each answered`() throws {
    let scene = try WebSocketScene()
    let peer = try scene.open()
    // As lines they would be told of once.
    for text in ["{", #"  "jsonrpc": "2.0","#, "  \"id\": 1", "}"] {
      #expect(try peer.call(text).isError(-32700, id: "null"))
    }
    #expect(try peer.isInStep())
  }

  @Test func `an error says at which byte of the text it shows`() throws {
    let scene = try WebSocketScene()
    let peer = try scene.open()
    for (text, place) in [("{\"a\":\n\n x}", 8), ("", 0), ("nope", 1), ("{\"a\":\"b\nc\"}", 7), ("\n\n", 2)] {
      let answer = try peer.call(text)
      #expect(answer.isError(-32700, id: "null") && answer.contains("byte \(place)"), "\(text): \(answer)")
    }
  }

  @Test func `line breaks stand between tokens, and not in a string`() throws {
    let scene = try WebSocketScene()
    let peer = try scene.open()
    try peer.send("\r\n{\n \"jsonrpc\":\r\n\"2.0\",\n\"id\":1,\"method\":\"m\",\"params\":[\n1,\r\n2\n]\n}\n")
    let asked = try scene.upstream.expect()
    #expect(asked.contains("1,") && asked.contains("2") && !asked.contains("\r"), "\(asked)")
    try scene.upstream.answer(#require(asked.upstreamID), "a")
    #expect(try peer.expect() == #"{"jsonrpc":"2.0","id":1,"result":"a"}"#)
    try peer.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":[\"a\nb\"]}")
    #expect(try peer.expect().isError(-32700, id: "null"))
    try scene.expectServed(peer)
  }

  @Test func `a message beyond messageBytes is refused, in one frame or in many, and the connection stays`()
    throws
  {
    let scene = try WebSocketScene(bounds: "messageBytes = 1024")
    let peer = try scene.open()
    let start = Array(#"{"jsonrpc":"2.0","id":1,"method":"lastword.ping","params":[]"#.utf8)
    func padded(to count: Int) -> [UInt8] {
      start + [UInt8](repeating: 0x20, count: count - start.count - 1) + [0x7d]
    }
    try peer.send(WebSocketPeer.text, padded(to: 1024))
    #expect(try peer.reply().code == nil)
    try peer.send(WebSocketPeer.text, padded(to: 1025))
    #expect(try peer.expect().isError(-32086, id: "null"))
    #expect(try peer.isInStep())
    let long = padded(to: 300_000)
    for start in stride(from: 0, to: long.count, by: 1_000) {
      let end = min(start + 1_000, long.count)
      try peer.send(start == 0 ? WebSocketPeer.text : 0, Array(long[start..<end]), isLast: end == long.count)
    }
    #expect(try peer.expect().isError(-32086, id: "null"))
    try scene.expectServed(peer)
  }

  // MARK: What is right

  @Test func `a megabyte goes both ways`() throws {
    let scene = try WebSocketScene(bounds: "messageBytes = 2097152")
    let peer = try scene.open()
    let large = String(repeating: "é", count: 1 << 19)
    for round in 1...3 {
      try peer.send(request(round, "m", "[\"\(large)\"]"))
      let asked = try scene.upstream.expect()
      #expect(asked.utf8.count > large.utf8.count && asked.contains(large))
      try scene.upstream.answer(#require(asked.upstreamID), large)
      #expect(try peer.expect() == #"{"jsonrpc":"2.0","id":\#(round),"result":"\#(large)"}"#)
    }
    // One frame of a megabyte, in tiny segments at its beginning.
    let frame = LineSocket.frame(WebSocketPeer.text, Array(request(9, "m", "[\"\(large)\"]").utf8))
    for byte in frame[..<40] { try peer.socket.send(bytes: [byte]) }
    try peer.socket.send(bytes: Array(frame[40...]))
    #expect(try scene.upstream.expect().contains(large))
  }

  @Test func `batches and notifications`() throws {
    let scene = try WebSocketScene()
    let peer = try scene.open()
    let ping = #"{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}"#
    let batch = try peer.call("[\(ping),1,{\"jsonrpc\":\"2.0\",\"method\":\"told\"}]")
    let pong = #"[{"jsonrpc":"2.0","id":1,"result":null}"#
    #expect(batch.hasPrefix(pong + #",{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"#), "\(batch)")
    #expect(try scene.upstream.asked().method == "told")
    #expect(try peer.call("[]").isError(-32600, id: "null"))
    try peer.send(#"{"jsonrpc":"2.0","method":"alone"}"#)
    #expect(try scene.upstream.asked().method == "alone")
    #expect(try peer.isInStep())
    try scene.expectServed(peer)
  }

  @Test func `the same bytes come as from a client of lines`() throws {
    let scene = try WebSocketScene()
    let (peer, line) = (try scene.open(), try scene.gateway.connect())
    for text in [
      #"{"jsonrpc":"2.0","id":1e2,"method":"lastword.ping"}"#, #"{"id":1}"#, "[1,2]",
      #"{"jsonrpc":"2.0","id":"\u0041","method":"lastword.inspect","params":{"key":"k"}}"#,
      #"{"jsonrpc":"2.0","id":null,"method":"lastword.cancel","params":{"key":"k"}}"#,
      #"{"jsonrpc":"2.0","id":3,"method":"m","task":{"key":""}}"#,
    ] { #expect(try peer.call(text) == line.call(text)) }
  }

  // MARK: Keys

  @Test(arguments: [true, false])
  func `a WebSocket and a client of lines supersede each other`(isNewest: Bool) throws {
    let scene = try WebSocketScene()
    let (peer, line) = (try scene.open(), try scene.gateway.connect())
    let (older, newer) = (request(1, "m", key: "k"), request(2, "m", key: "k"))
    if isNewest { try line.send(older) } else { try peer.send(older) }
    let first = try scene.upstream.asked()
    if isNewest { try peer.send(newer) } else { try line.send(newer) }
    let superseded = try isNewest ? line.reply() : peer.reply()
    #expect(superseded.id == 1 && superseded.code == -32080)
    #expect(try scene.upstream.asked().cancelled == first.id)
    try scene.upstream.answer(#require(first.id), "too late")
    try scene.upstream.answer(#require(scene.upstream.asked().id), "new")
    #expect(try (isNewest ? peer.reply() : line.reply()).result == "new")
    #expect(try peer.isInStep() && line.isInStep())
  }

  @Test func `keys of a connection are those of one WebSocket`() throws {
    let scene = try WebSocketScene()
    let (one, two) = (try scene.open(), try scene.open())
    let own = #","scope":"connection""#
    try one.send(request(1, "m", key: "k", policy: "cancel", task: own))
    let first = try scene.upstream.asked()
    try two.send(request(1, "m", key: "k", policy: "cancel", task: own))
    let second = try scene.upstream.asked()
    #expect(first.method == "m" && second.method == "m")
    try scene.upstream.answer(#require(second.id), "two")
    #expect(try two.reply().result == "two")
    try one.send(request(2, "m", key: "k", policy: "cancel", task: own))
    #expect(try one.reply().code == -32080)
    #expect(try scene.upstream.asked().cancelled == first.id)
  }

  @Test func `a request is taken back by its id`() throws {
    let scene = try WebSocketScene()
    let peer = try scene.open()
    try peer.send(request(1, "m"))
    let asked = try scene.upstream.asked()
    try peer.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#)
    #expect(try peer.reply().code == -32800)
    #expect(try scene.upstream.asked().cancelled == asked.id)
    #expect(try peer.isInStep())
  }

  // MARK: What a server says

  @Test func `an upstream of the client's own is heard, and may ask`() throws {
    let place = try ListeningSocket()
    let scene = try WebSocketScene(
      more: """
        [[upstream]]
        name = "own"
        address = "\(place.address)"
        perConnection = true
        [[route]]
        method = "own"
        upstream = "own"
        """)
    let peer = try scene.open()
    try peer.send(request(1, "own"))
    let own = try place.accept()
    let asked = try own.asked()
    #expect(asked.method == "own")
    try own.send(#"{"jsonrpc":"2.0","method":"progress","params":[1]}"#)
    #expect(try peer.expect() == #"{"jsonrpc":"2.0","method":"progress","params":[1]}"#)
    try own.send(#"{"jsonrpc":"2.0","id":"q","method":"which"}"#)
    let question = try peer.expect()
    #expect(question.contains(#""method":"which""#), "\(question)")
    try peer.send(question.replacing(#","method":"which""#, with: #","result":"this""#))
    #expect(try own.expect().contains(#""id":"q","result":"this""#))
    try own.answer(#require(asked.id), "done")
    #expect(try peer.reply().result == "done")
    try peer.sendClose(1000)
    try peer.expectClose(1000)
    while try own.receive() != nil {}
  }
}
