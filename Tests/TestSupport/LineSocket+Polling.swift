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
  package var hasNews: Bool { !buffer.isEmpty || isReadable }

  /// Whether the peer has closed; what it still says is read and forgotten.
  package func isClosedByPeer() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT))
      if count <= 0 { return count == 0 || errno == ECONNRESET }
    }
  }

  /// Waits until one of them has something to read, and gives the first that has.
  package static func awaitNews(of sockets: [LineSocket]) throws -> LineSocket {
    if let ready = sockets.first(where: { $0.hasNews }) { return ready }
    var events = sockets.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    guard poll(&events, nfds_t(events.count), Int32(watchdogSeconds * 1000)) > 0,
      let index = events.firstIndex(where: { $0.revents != 0 })
    else { throw Failure(description: "nothing came to any of \(sockets.count)") }
    return sockets[index]
  }
}
