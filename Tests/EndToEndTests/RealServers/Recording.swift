import Foundation
import TestSupport

/// What went into a server and what came out of it, as `tee.py` has seen it.
struct Recording {
  let path: String

  /// The server's.
  var process: Int32 { Int32(path.split(separator: "/").last!)! }

  /// What the server was sent; a message that is still on its way is left out.
  var received: [Message] { messages("in") }
  /// What the server sent.
  var sent: [Message] { messages("out") }

  private func messages(_ direction: String) -> [Message] {
    var bytes = Array(FileManager.default.contents(atPath: "\(path).\(direction)") ?? Data())[...]
    var messages: [Message] = []
    while let message = Self.nextMessage(&bytes) { messages.append(message) }
    return messages
  }

  /// Framed as its first byte says.
  private static func nextMessage(_ bytes: inout ArraySlice<UInt8>) -> Message? {
    guard let lineEnd = bytes.firstIndex(of: 0x0a) else { return nil }
    var body = bytes[..<lineEnd]
    if body.first == UInt8(ascii: "{") {
      bytes = bytes[(lineEnd + 1)...]
    } else {
      guard let headerEnd = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else { return nil }
      let header = String(decoding: bytes[..<headerEnd], as: UTF8.self)
      guard let length = header.firstMatch(of: /Content-Length: (\d+)\r\n/).flatMap({ Int($0.1) }),
        bytes.endIndex - headerEnd >= length
      else { return nil }
      body = bytes[headerEnd..<headerEnd + length]
      bytes = bytes[(headerEnd + length)...]
    }
    return try? Message(String(decoding: body, as: UTF8.self))
  }
}
