import TestSupport
import Testing

extension Scene {
  /// **K**, for a client that speaks `Content-Length`.
  func expectFramesKept(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try socket.send(frame: #"{"jsonrpc":"2.0","id":"canary","method":"lastword.ping"}"#)
    #expect(
      try socket.expectFrame() == #"{"jsonrpc":"2.0","id":"canary","result":null}"#,
      sourceLocation: sourceLocation)
    try socket.send(frame: request(4711, "canary"))
    let asked = try upstream.asked()
    #expect(asked.method == "canary", sourceLocation: sourceLocation)
    try upstream.answer(#require(asked.id), "sung")
    #expect(
      try socket.expectFrame() == #"{"jsonrpc":"2.0","id":4711,"result":"sung"}"#,
      sourceLocation: sourceLocation)
    try expectBystanderUnharmed(sourceLocation: sourceLocation)
  }
}
