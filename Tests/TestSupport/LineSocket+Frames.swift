import Glibc

/// The same connection with `Content-Length` before each message, as language servers speak it.
extension LineSocket {
  package func send(frame body: String) throws {
    try send(bytes: Array("Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8))
  }

  /// The body of the next frame, whose header must be the one that is promised; nil once the peer has closed.
  package func receiveFrame() throws -> String? {
    guard let field = try receive() else { return nil }
    let name = "Content-Length: "
    guard field.hasPrefix(name), field.hasSuffix("\r"),
      let count = Int(field.dropFirst(name.count).dropLast()),
      try expect() == "\r"
    else { throw Failure(description: "a wrong header: \(field)") }
    while buffer.count < count {
      guard try fill() else { throw Failure(description: "the peer closed the connection in a frame") }
    }
    defer { buffer.removeFirst(count) }
    return String(decoding: buffer[..<count], as: UTF8.self)
  }

  package func expectFrame() throws -> String {
    guard let body = try receiveFrame() else { throw Failure(description: "the peer closed the connection") }
    return body
  }

  /// From now on each `send` leaves in a segment of its own.
  package func sendAtOnce() {
    var yes: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
  }
}
