/// What the server of a test does with a request.
enum HTTPTestReply: Sendable {
  case answer(String, status: Int = 200)
  /// The body in pieces, its length unsaid.
  case chunked([String])
  /// Events of a stream; it ends behind them, or stays open.
  case events([String], ends: Bool = true)
  /// A status and no body.
  case empty(status: Int, header: String = "")
  /// So many bytes of body, their number said beforehand.
  case large(byteCount: Int)
  /// Headers without end.
  case endlessHeaders
  /// Half an answer, and the connection closes.
  case half
  /// A whole answer, and the connection closes although nobody said so.
  case answerAndClose(String)
  /// A whole answer, and, once a gate is open, the same again; then the other gate opens.
  case answerAgain(String, behind: Gate, opening: Gate)
  /// These bytes.
  case raw(String)
  /// The connection closes without a word.
  case close
  /// Nothing ever, until the client leaves.
  case nothing

  /// Returns whether the connection stays.
  func send(on socket: TestSocket) -> Bool {
    switch self {
    case .answer(let body, let status): socket.send(whole(body, status))
    case .chunked(let pieces): socket.send(chunks(pieces))
    case .events(let events, let ends): sendEvents(events, ends: ends, on: socket)
    case .empty(let status, let header): socket.send(empty(status, header))
    case .large(let byteCount): socket.send(head(200, byteCount)) && sendMany(byteCount, on: socket)
    case .endlessHeaders: endless(on: socket)
    case .half: socket.send(head(200, 100) + #"{"jsonrpc":"#) && false
    case .answerAndClose(let body): socket.send(whole(body, 200)) && false
    case .answerAgain(let body, let gate, let other): sendAgain(body, gate, other, on: socket)
    case .raw(let bytes): socket.send(bytes)
    case .close: false
    case .nothing: !socket.receive().isEmpty
    }
  }

  private func head(_ status: Int, _ byteCount: Int) -> String {
    "HTTP/1.1 \(status) Whatever\r\nContent-Type: application/json\r\nContent-Length: \(byteCount)\r\n\r\n"
  }

  private func whole(_ body: String, _ status: Int) -> String { head(status, body.utf8.count) + body }

  private func empty(_ status: Int, _ header: String) -> String {
    // A 204 says no length.
    let length = status == 204 ? "" : "Content-Length: 0\r\n"
    return "HTTP/1.1 \(status) Whatever\r\n\(header)\(length)\r\n"
  }

  private func chunks(_ pieces: [String]) -> String {
    let chunks = pieces.map { "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n" }
    return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks.joined())0\r\n\r\n"
  }

  private func sendEvents(_ events: [String], ends: Bool, on socket: TestSocket) -> Bool {
    guard
      socket.send(
        "HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n"
      )
    else { return false }
    for event in events {
      guard socket.send("\(String(event.utf8.count, radix: 16))\r\n\(event)\r\n") else { return false }
    }
    return ends ? socket.send("0\r\n\r\n") : !socket.receive().isEmpty
  }

  private func sendAgain(_ body: String, _ gate: Gate, _ other: Gate, on socket: TestSocket) -> Bool {
    defer { other.open() }
    guard socket.send(whole(body, 200)) else { return false }
    gate.wait()
    return socket.send(whole(body, 200))
  }

  private func sendMany(_ byteCount: Int, on socket: TestSocket) -> Bool {
    let piece = String(repeating: "x", count: 1 << 16)
    for _ in 0..<byteCount >> 16 { guard socket.send(piece) else { return false } }
    return socket.send(String(piece.prefix(byteCount & (1 << 16 - 1))))
  }

  private func endless(on socket: TestSocket) -> Bool {
    guard socket.send("HTTP/1.1 200 OK\r\n") else { return false }
    while socket.send("X-Filler: \(String(repeating: "x", count: 1000))\r\n") {}
    return false
  }
}
