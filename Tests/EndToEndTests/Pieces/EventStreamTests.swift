import Foundation
import TestSupport
import Testing

/// Pieces of an HTTP upstream that answers with event streams, played by the test, through the real binary.
@Suite struct EventStreamTests {
  private func piece(_ id: String, _ value: String) -> String {
    #"{"jsonrpc":"2.0","method":"lastword.piece","params":{"id":\#(id),"value":\#(value)}}"#
  }

  private func asking(_ id: Int) -> String {
    request(id, "write", #"{"n":\#(id)}"#, key: "chat", task: #","stream":true"#)
  }

  /// A gateway before an HTTP upstream that the test plays.
  private func stage(in directory: TemporaryDirectory, bounds: String = "") throws -> (
    RunningGateway, ListeningSocket, LineSocket
  ) {
    let listener = try ListeningSocket()
    let text = ConfigurationFile.text(
      bounds: bounds, upstream: "address = \"http://127.0.0.1:\(listener.port)/rpc\"")
    let gateway = try RunningGateway(configured: text, in: directory)
    return (gateway, listener, try gateway.connect())
  }

  /// Reads a POST, and says that an event stream follows; returns the id under which upstream is asked.
  private func beginStream(on upstream: LineSocket) throws -> String {
    var contentLength = 0
    var takesEvents = false
    while case let line = try upstream.expect(), line != "\r", !line.isEmpty {
      if let match = line.firstMatch(of: /(?i)content-length: (\d+)/) { contentLength = Int(match.1) ?? 0 }
      if line.lowercased().hasPrefix("accept:") { takesEvents = line.contains("text/event-stream") }
    }
    #expect(takesEvents)
    let content = try #require(try upstream.taken(contentLength))
    try upstream.send(
      bytes: Array(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n".utf8))
    let asked = String(decoding: content, as: UTF8.self)
    return try String(#require(asked.firstMatch(of: /"id":(\d+),"method":"write"/)).1)
  }

  private func tell(_ messages: String..., on upstream: LineSocket) throws {
    try tell(messages, on: upstream)
  }

  /// All at once.
  private func tell(_ messages: [String], on upstream: LineSocket) throws {
    let events = messages.map { "event: message\ndata: \($0)\n\n" }.joined()
    try upstream.send(bytes: Array("\(String(events.utf8.count, radix: 16))\r\n\(events)\r\n".utf8))
  }

  @Test func `nothing more of a text comes once a newer prompt took its place, and its stream is ended`()
    throws
  {
    let directory = try TemporaryDirectory()
    let (gateway, listener, client) = try stage(in: directory)
    try client.send(asking(1))
    let first = try listener.accept()
    let firstID = try beginStream(on: first)
    for word in [#""once""#, #""upon""#] {
      try tell(piece(firstID, word), on: first)
      #expect(try client.expect() == piece("1", word))
    }
    try client.send(asking(2))
    let end = try client.expect()
    #expect(end.contains("-32080") && end.hasSuffix(#""pieces":2}}}"#), "\(end)")
    // Its connection is closed: that is how it hears of it.
    #expect(try first.receive() == nil)
    let second = try listener.accept()
    let secondID = try beginStream(on: second)
    try tell(#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#, on: second)
    try tell(piece(firstID, #""late""#), on: second)
    try tell(piece(secondID, #""no""#), on: second)
    try tell(#"{"jsonrpc":"2.0","id":\#(secondID),"result":"no"}"#, on: second)
    #expect(try client.expect() == piece("2", #""no""#))
    #expect(try client.expect() == #"{"jsonrpc":"2.0","id":2,"result":"no"}"#)
    #expect(try client.isInStep())
    let metrics = try gateway.metrics()
    #expect(metrics["lastword_pieces_total"] == 3 && metrics["lastword_upstream_pieces_dropped_total"] == 1)
  }

  @Test func `who reads gets all pieces that come at once, however many they are`() throws {
    let directory = try TemporaryDirectory()
    let bounds = "unreadPieceBytes = 1024\nclientOutputSoftBytes = 1024"
    let (gateway, listener, client) = try stage(in: directory, bounds: bounds)
    try client.send(asking(1))
    let upstream = try listener.accept()
    let id = try beginStream(on: upstream)
    let values = (1...200).map { "\($0)" }
    try tell(values.map { piece(id, $0) } + [#"{"jsonrpc":"2.0","id":\#(id),"result":"all"}"#], on: upstream)
    for value in values { #expect(try client.expect() == piece("1", value)) }
    #expect(try client.reply().result == "all")
    client.finish()
    #expect(gateway.stop() == 0)
  }

  @Test func `a stream that ends without an answer is unavailable, and may have been completed`() throws {
    let directory = try TemporaryDirectory()
    let (gateway, listener, client) = try stage(in: directory)
    try client.send(asking(1))
    let upstream = try listener.accept()
    let id = try beginStream(on: upstream)
    try tell(piece(id, "1"), on: upstream)
    #expect(try client.expect() == piece("1", "1"))
    try upstream.send(bytes: Array("0\r\n\r\n".utf8))
    let reply = try client.reply()
    #expect(reply.code == -32084 && reply.upstream == "mayHaveCompleted", "\(reply)")
    client.finish()
    #expect(gateway.stop() == 0)
  }
}
