import Foundation
import TestSupport
import Testing

/// A gateway before an upstream of the test's own, for clients that come by HTTP.
final class PostScene {
  static let ping = #"{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}"#
  static let pong = #"{"jsonrpc":"2.0","id":1,"result":null}"# + "\n"

  private let stage: Stage
  var gateway: RunningGateway { stage.gateway }
  var upstream: LineSocket { stage.upstream }

  /// As a `Stage` takes it.
  init(bounds: String = "", listen: String = "", more: String = "", isUnix: Bool = false) throws {
    stage = try Stage(bounds: bounds, listen: listen, more: more, isUnix: isUnix)
  }

  func connect() throws -> LineSocket { try gateway.connect() }

  /// A POST as bytes.
  /// - Parameters:
  ///   - fields: each with its end of line.
  ///   - length: what is said of the content's length, if not the truth.
  static func post(
    _ content: String, _ fields: String = "", version: String = "1.1", length: Int? = nil,
    type: String = "Content-Type: application/json\r\n"
  ) -> [UInt8] {
    let head = "POST / HTTP/\(version)\r\nHost: localhost\r\n\(type)\(fields)"
    return Array("\(head)Content-Length: \(length ?? content.utf8.count)\r\n\r\n\(content)".utf8)
  }

  /// The same in chunks of so many bytes.
  static func chunkedPost(_ content: String, chunkBytes: Int, extensions: String = "", trailer: String = "")
    -> [UInt8]
  {
    var bytes = Array(
      "POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        .utf8)
    var rest = Array(content.utf8)[...]
    while !rest.isEmpty {
      let chunk = rest.prefix(chunkBytes)
      bytes += Array("\(String(chunk.count, radix: 16))\(extensions)\r\n".utf8) + chunk + [0x0d, 0x0a]
      rest = rest.dropFirst(chunk.count)
    }
    return bytes + Array("0\r\n\(trailer)\r\n".utf8)
  }

  /// Sends bytes over a connection of their own and gives the response.
  func ask(_ bytes: [UInt8]) throws -> HTTPAnswer {
    let client = try connect()
    try client.send(bytes: bytes)
    return try client.expectAnswer()
  }

  /// The connection serves one more request, and has nothing else to say.
  func expectKept(_ client: LineSocket, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try client.send(bytes: Self.post(Self.ping))
    let answer = try client.expectAnswer()
    #expect(answer.status == 200 && answer.content == Self.pong, "\(answer)", sourceLocation: sourceLocation)
  }

  /// A refusal: its status, its code, and the connection closes behind it.
  func expectRefused(
    _ bytes: [UInt8], _ status: Int, _ code: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> HTTPAnswer {
    let client = try connect()
    try client.send(bytes: bytes)
    let answer = try client.expectAnswer()
    #expect(answer.status == status, "\(answer)", sourceLocation: sourceLocation)
    #expect(answer.content.isError(code, id: "null"), "\(answer)", sourceLocation: sourceLocation)
    #expect(answer["content-type"] == "application/json", sourceLocation: sourceLocation)
    #expect(answer["connection"] == "close", sourceLocation: sourceLocation)
    #expect(try client.answer() == nil, sourceLocation: sourceLocation)
    return answer
  }

  /// The same where a POST has to say by these fields who it is from.
  func expectUpstreamHeardNothing(by fields: String, sourceLocation: SourceLocation = #_sourceLocation) throws
  {
    let answer = try ask(Self.post(#"{"jsonrpc":"2.0","method":"end"}"#, fields))
    #expect(answer.status == 202, "\(answer)", sourceLocation: sourceLocation)
    #expect(try upstream.asked().method == "end", sourceLocation: sourceLocation)
  }

  /// Upstream has heard of nothing but what comes now.
  func expectUpstreamHeardNothing(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let client = try connect()
    try client.send(#"{"jsonrpc":"2.0","method":"end"}"#)
    #expect(try upstream.asked().method == "end", sourceLocation: sourceLocation)
  }
}
