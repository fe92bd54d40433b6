import TestSupport
import Testing

/// What is no JSON, and what is JSON however strange it looks.
@Suite struct JSONRowTests {
  static let noJSON: [Input] = [
    Input("{"), Input("[1"),
    Input(#"{"jsonrpc":"2.0","id":1,"method":"m",}"#),
    Input(#"{"jsonrpc":"2.0","id":1,"method":"m","params":[1,]}"#),
    Input(#"{"jsonrpc":"2.0","id":1,"method":"m","params":[NaN]}"#), Input("NaN"),
    Input(#"{"jsonrpc":"2.0","id":1,"method":"m","params":[01]}"#), Input("01"),
    Input(
      "a raw control character", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":[\"\u{1}\"]}"),
    Input("a raw tab", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":[\"\t\"]}"),
    Input("UTF-16, little end first", ping.utf8.flatMap { [$0, 0] }),
    Input("UTF-16, big end first", ping.utf8.flatMap { [0, $0] }),
    Input("NUL in a string", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":[\"\u{0}\"]}"),
    Input("NUL between tokens", "{\"jsonrpc\":\"2.0\",\u{0}\"id\":1,\"method\":\"m\"}"),
    Input("NUL after the value", ping + "\u{0}"),
    Input("a word after the value", ping + " x"), Input("two values in a line", ping + ping),
    Input("a byte order mark in the middle of the stream", "\u{FEFF}" + ping),
    Input("129 levels", nested(129)), Input("100,000 levels", nested(100_000)),
    Input("100,000 levels that never end", String(repeating: "[", count: 100_000)),
    Input(
      "100,000 levels of objects",
      #"{"jsonrpc":"2.0","id":1,"method":"m","params":"# + String(repeating: #"{"a":"#, count: 100_000)),
  ]

  static let noText: [Input] = [
    invalidUTF8("a lone continuation byte", [0x80]), invalidUTF8("an overlong slash", [0xc0, 0xaf]),
    invalidUTF8("a surrogate", [0xed, 0xa0, 0x80]), invalidUTF8("half a character", [0xe2, 0x82]),
    invalidUTF8("beyond the last character", [0xf4, 0x90, 0x80, 0x80]),
  ]

  private static let ping = #"{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}"#

  private static func invalidUTF8(_ name: String, _ bytes: [UInt8]) -> Input {
    let (start, end) = (#"{"jsonrpc":"2.0","id":1,"method":"m","params":[""#, #""]}"#)
    return Input(name, Array(start.utf8) + bytes + Array(end.utf8))
  }

  /// A request so deep, the envelope counted.
  private static func nested(_ depth: Int) -> String {
    let brackets = (String(repeating: "[", count: depth - 1), String(repeating: "]", count: depth - 1))
    return #"{"jsonrpc":"2.0","id":1,"method":"m","params":\#(brackets.0)\#(brackets.1)}"#
  }

  @Test(arguments: Transport.all, noJSON)
  func `what is no JSON is a parse error without an id, and the next line is served`(
    transport: Transport, input: Input
  ) throws {
    let scene = try Scene(over: transport)
    // A first line that is no JSON at all is something else: it ends the connection.
    #expect(try scene.client.isInStep("before"))
    try scene.client.send(text: input.bytes)
    try scene.expectError(-32700)
    try scene.expectKept()
  }

  @Test(arguments: Transport.all, noText)
  func `what is no UTF-8 is a parse error, too, and the end of a WebSocket`(
    transport: Transport, input: Input
  ) throws {
    let scene = try Scene(over: transport)
    #expect(try scene.client.isInStep("before"))
    try scene.client.send(text: input.bytes)
    if transport == .webSocket { return try scene.expectClosed(1007) }
    try scene.expectError(-32700)
    try scene.expectKept()
  }

  @Test(.forLines(.beginning)) func `a byte order mark at the stream's start is skipped`() throws {
    let scene = try Scene()
    try scene.socket.send(bytes: [0xef, 0xbb, 0xbf] + Array(Self.ping.utf8) + [0x0a])
    #expect(try scene.client.expect() == #"{"jsonrpc":"2.0","id":1,"result":null}"#)
    try scene.expectKept()
  }

  @Test(
    arguments: Transport.all,
    [
      #"["\ud800"]"#, #"["\udc00\ud800 \uDBFF"]"#, "[1e400,-1e400,1E-400]",
      "[123456789012345678901234567890]", "[0.123456789012345678901234567890]", "[-0,-0.0,1.0,1.50]",
      #"{"a":1,"a":2,"":3,"":4}"#, #"{"task":1,"task":2,"jsonrpc":[]}"#, #"["\u0041\/\u0000"]"#,
      "{ \"a\" :\t[ ] , \"b\":{ } }", "[\"\u{7f}\u{2028}\u{10ffff}\"]",
    ])
  func `params reach upstream byte for byte, and so does the answer its caller`(
    transport: Transport, params: String
  ) throws {
    let scene = try Scene(over: transport)
    try scene.client.send(request(1, "m", params))
    let line = try scene.upstream.expect()
    let id = try #require(line.upstreamID)
    #expect(line == #"{"jsonrpc":"2.0","id":\#(id),"method":"m","params":\#(params)}"#)
    try scene.upstream.send(#"{"jsonrpc":"2.0","id":\#(id),"result":\#(params)}"#)
    #expect(try scene.client.expect() == #"{"jsonrpc":"2.0","id":1,"result":\#(params)}"#)
    try scene.expectKept()
  }

  @Test(arguments: Transport.all, [#"\ud800"#, #"\udc00\ud800"#, #"a\uDBFFb"#])
  func `a lone surrogate in a key is refused`(transport: Transport, key: String) throws {
    let scene = try Scene(over: transport)
    try scene.client.send(request(1, "m", key: key))
    try scene.expectError(-32602, id: "1", naming: "task.key")
    try scene.expectKept()
  }

  @Test(arguments: Transport.all)
  func `128 levels are served`(transport: Transport) throws {
    let scene = try Scene(over: transport)
    try scene.client.send(Self.nested(128))
    let asked = try scene.upstream.asked()
    try scene.upstream.answer(asked.id!, "deep enough")
    #expect(try scene.client.reply().result == "deep enough")
    try scene.expectKept()
  }

  @Test(
    arguments: Transport.all,
    [
      #"{"jsonrpc":"2.0","jsonrpc":"2.0","id":7,"method":"m"}"#,
      #"{"jsonrpc":"2.0","id":7,"id":7,"method":"m"}"#,
      #"{"jsonrpc":"2.0","id":7,"method":"m","method":"m"}"#,
      #"{"jsonrpc":"2.0","id":7,"method":"m","m\u0065thod":"m"}"#,
      #"{"jsonrpc":"2.0","id":7,"method":"m","params":[],"params":[]}"#,
      #"{"jsonrpc":"2.0","id":7,"method":"m","task":{"key":"k"},"task":{"key":"k"}}"#,
    ])
  func `a member that occurs twice makes an invalid request with its own id`(
    transport: Transport, line: String
  ) throws {
    let scene = try Scene(over: transport)
    try scene.client.send(line)
    try scene.expectError(-32600, id: "7")
    try scene.expectKept()
  }

  @Test(.forLines(.ends), arguments: ["\n", "\r\n", "  \t \n", " \r\n\n\r\n"])
  func `blank lines are nothing`(lines: String) throws {
    let scene = try Scene()
    try scene.socket.send(bytes: Array(lines.utf8))
    try scene.expectKept()
    try scene.socket.send(bytes: Array(lines.utf8))
    #expect(try scene.client.isInStep())
  }

  @Test(arguments: Transport.all)
  func `a line may end with CR LF`(transport: Transport) throws {
    let scene = try Scene(over: transport)
    try scene.client.send(request(1, "m", "[1]") + "\r")
    let line = try scene.upstream.expect()
    let id = try #require(line.upstreamID)
    #expect(line == #"{"jsonrpc":"2.0","id":\#(id),"method":"m","params":[1]}"#)
    try scene.upstream.answer(id, "served")
    #expect(try scene.client.reply().result == "served")
    try scene.expectKept()
  }
}
