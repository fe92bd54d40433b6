import Glibc

/// The same connection without waiting.
extension LineSocket {
  /// Sends what fits; returns how many bytes that were.
  package func sendSome(_ bytes: ArraySlice<UInt8>) throws -> Int {
    let count = bytes.withUnsafeBytes {
      Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }
    guard count < 0 else { return count }
    guard errno == EAGAIN else { throw Failure(description: "write: errno \(errno)") }
    return 0
  }

  /// Whether there is something to read.
  package var hasNews: Bool {
    var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return !buffer.isEmpty || poll(&event, 1, 0) > 0
  }

  /// Whether the peer has closed; what it still says is read and forgotten.
  package func isClosedByPeer() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT))
      if count <= 0 { return count == 0 || errno == ECONNRESET }
    }
  }
}
