import Foundation
import Secrets
import TestSupport

/// The client said something else than a test expects.
struct PlayedGatewayFailure: Error {
  let description: String
}

/// What a gateway does over one connection, where a test plays it: by bytes of its own, not by the modules under test.
extension LineSocket {
  /// The fields of the next request, their names in small letters, and its content; the first line is the field "".
  func post() throws -> (fields: [String: String], content: String) {
    var fields = ["": try expect()]
    while case let line = try expect(), line != "\r" {
      guard let colon = line.firstIndex(of: ":") else {
        throw PlayedGatewayFailure(description: "no field: \(line)")
      }
      fields[line[..<colon].lowercased()] = String(line[colon...].dropFirst(2).dropLast())
    }
    let length = fields["content-length"].flatMap { Int($0) } ?? 0
    return (fields, String(decoding: try taken(length) ?? [], as: UTF8.self))
  }

  /// Answers a POST.
  func respond(_ content: String, status: Int = 200, type: String = "application/json") throws {
    let fields = "Content-Type: \(type)\r\nContent-Length: \(content.utf8.count)\r\n"
    try send(bytes: Array("HTTP/1.1 \(status) Said\r\n\(fields)\r\n\(content)".utf8))
  }

  /// Becomes a WebSocket.
  /// - Parameter accept: said instead of the right word.
  func upgrade(accept: String? = nil) throws {
    let key = try post().fields["sec-websocket-key"] ?? ""
    let digest = Digest.sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)) ?? []
    let fields = [
      "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: \(accept ?? Self.base64(digest))",
      "Sec-WebSocket-Protocol: lastword.1",
    ]
    let head = "HTTP/1.1 101 Said\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
    try send(bytes: Array(head.utf8))
  }

  private static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  /// The content of the next frame of a client, which must be masked.
  func heardFrame() throws -> (opcode: UInt8, content: String) {
    guard let head = try taken(2), head[1] & 0x80 != 0 else {
      throw PlayedGatewayFailure(description: "no masked frame")
    }
    var length = Int(head[1] & 0x7F)
    if length > 125 {
      length = try taken(length == 126 ? 2 : 8)?.reduce(0) { $0 << 8 | Int($1) } ?? 0
    }
    let mask = try taken(4) ?? []
    let content = try taken(length) ?? []
    return (
      head[0] & 0x0F,
      String(decoding: content.enumerated().map { $1 ^ mask[$0 % 4] }, as: UTF8.self)
    )
  }

  func say(_ text: String) throws { try send(bytes: Self.frame(1, Array(text.utf8), mask: nil)) }
}
