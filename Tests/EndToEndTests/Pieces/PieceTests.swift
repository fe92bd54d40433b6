import TestSupport
import Testing

/// Answers that come in pieces, through the real binary, before an upstream that the test plays.
@Suite struct PieceTests {
  private func asking(_ id: Int, key: String = "chat", _ task: String = "") -> String {
    request(id, "write", #"{"n":\#(id)}"#, key: key, task: #","stream":true\#(task)"#)
  }

  private func piece(_ id: String, _ value: String) -> String {
    #"{"jsonrpc":"2.0","method":"lastword.piece","params":{"id":\#(id),"value":\#(value)}}"#
  }

  /// The id under which upstream is asked next.
  private func nextID(_ upstream: LineSocket) throws -> String {
    let asked = try upstream.expect()
    return try String(#require(asked.firstMatch(of: /"id":(\d+),"method":"write"/)).1)
  }

  @Test(arguments: [Transport.lines, .webSocket])
  func `nothing more of a text comes once a newer prompt took its place`(over transport: Transport) throws {
    let stage = try Stage()
    let client = try transport.caller(to: stage.gateway.address)
    try client.send(asking(1))
    let first = try nextID(stage.upstream)
    for word in [#""once""#, #""upon""#] { try stage.upstream.send(piece(first, word)) }
    #expect(try client.expect() == piece("1", #""once""#))
    #expect(try client.expect() == piece("1", #""upon""#))
    try client.send(asking(2))
    let end = try client.expect()
    #expect(end.contains("-32080") && end.contains(#""upstream":"cancelSent","pieces":2"#))
    #expect(try stage.upstream.expect().contains("$/cancelRequest"))
    let second = try nextID(stage.upstream)
    // It goes on writing all the same.
    try stage.upstream.send(piece(first, #""a""#))
    try stage.upstream.send(#"{"jsonrpc":"2.0","id":\#(first),"result":"once upon a time"}"#)
    try stage.upstream.send(piece(second, #""no""#))
    try stage.upstream.send(#"{"jsonrpc":"2.0","id":\#(second),"result":"no"}"#)
    #expect(try client.expect() == piece("2", #""no""#))
    #expect(try client.expect() == #"{"jsonrpc":"2.0","id":2,"result":"no"}"#)
    #expect(try client.isInStep())
    let metrics = try stage.gateway.metrics()
    #expect(metrics["lastword_pieces_total"] == 3 && metrics["lastword_upstream_pieces_dropped_total"] == 1)
  }

  @Test func `a POST that reads events gets each as one, and one that does not is told`() throws {
    let stage = try Stage()
    let client = try LineSocket(stage.gateway.address)
    func post(_ accept: String) throws {
      try client.send(bytes: PostScene.post(asking(1), "Accept: \(accept)\r\n"))
    }
    try post("application/json")
    let refused = try client.expectAnswer()
    #expect(refused.content.contains("-32602"))
    try post("text/event-stream")
    let id = try nextID(stage.upstream)
    try stage.upstream.send(piece(id, "1"))
    try stage.upstream.send(piece(id, "2"))
    try stage.upstream.send(#"{"jsonrpc":"2.0","id":\#(id),"result":3}"#)
    let events = try client.expectAnswer().content
    #expect(
      events == "data: \(piece("1", "1"))\n\ndata: \(piece("1", "2"))\n\n"
        + "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":3}\n\n")
  }

  @Test func `who does not read is told so, and gets no gap`() throws {
    let stage = try Stage()
    let client = try LineSocket(stage.gateway.address)
    try client.send(asking(1))
    let id = try nextID(stage.upstream)
    let padding = String(repeating: "x", count: 32_000)
    // More than the kernel keeps for who does not read.
    for number in 0..<1_000 { try stage.upstream.send(piece(id, #"[\#(number),"\#(padding)"]"#)) }
    #expect(try stage.upstream.expect().contains("$/cancelRequest"))
    var count = 0
    while true {
      let text = try client.expect()
      guard text.contains("lastword.piece") else {
        #expect(text.contains("-32082") && text.contains("\"pieces\":\(count)"), "\(count): \(text)")
        break
      }
      try #require(text.contains(#""value":[\#(count),"#))
      count += 1
    }
    #expect(count > 1 && count < 1_000)
    #expect(try client.isInStep())
  }

  @Test func `with several loops pieces come to whichever loop their caller is at`() throws {
    let gateway = try RunningGateway(environment: ["LASTWORD_LOOPS": "3"])
    let clients = try (0..<8).map { _ in try gateway.connect() }
    for (number, client) in clients.enumerated() {
      try client.send(
        request(
          1, "write", #"{"text":"so it is","ms":1}"#, key: "key-\(number)", task: #","stream":true"#))
    }
    for client in clients {
      for word in ["so", "it", "is"] { #expect(try client.expect() == piece("1", "\"\(word)\"")) }
      #expect(try client.expect() == #"{"jsonrpc":"2.0","id":1,"result":"so it is"}"#)
      #expect(try client.isInStep())
    }
    #expect(try gateway.metrics()["lastword_pieces_total"] == 24)
  }

  @Test func `the command prints each as it comes`() throws {
    let gateway = try RunningGateway()
    let call = ["call", "write", #"{"text":"so it is","ms":1}"#, "--to", gateway.address]
    let whole = try RunningProgram(Programs.lastword, call)
    #expect(whole.outputLine() == #""so it is""# && whole.outputLine() == nil && whole.exitStatus() == 0)
    let pieces = try RunningProgram(Programs.lastword, call + ["--stream"])
    for word in [#""so""#, #""it""#, #""is""#, #""so it is""#] { #expect(pieces.outputLine() == word) }
    #expect(pieces.outputLine() == nil && pieces.exitStatus() == 0)
    let late = try RunningProgram(
      Programs.lastword,
      [
        "call", "write", #"{"text":"so it is","ms":200}"#, "--stream", "--timeout-ms", "300", "--to",
        gateway.address,
      ])
    #expect(late.outputLine() == #""so""# && late.exitStatus() == 12)
  }
}
