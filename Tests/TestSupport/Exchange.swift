import Glibc

/// One side of a conversation that sends more than anybody can hold, and hears lines meanwhile.
package final class Exchange {
  package typealias Line = UnsafeRawBufferPointer

  private let socket: LineSocket
  private let hear: (Line, Exchange) throws -> Void
  /// What comes next; nil when there is no more.
  private var more: () -> [UInt8]?
  private var unsent: ArraySlice<UInt8> = []
  private var partial: [UInt8] = []

  /// - Parameter sending: gives the bytes to send, part by part.
  package init(
    _ socket: LineSocket, sending more: @escaping () -> [UInt8]? = { nil },
    hearing hear: @escaping (Line, Exchange) throws -> Void
  ) {
    self.socket = socket
    self.more = more
    self.hear = hear
  }

  package func say(_ line: String) { unsent += Array((line + "\n").utf8) }

  /// Sends and hears on all sides, in one thread, until `isDone`.
  package static func run(_ sides: [Exchange], until isDone: () -> Bool) throws {
    while !isDone() {
      var polls = sides.map { $0.poll() }
      let watchdogMilliseconds = Int32(LineSocket.watchdogSeconds * 1000)
      guard Glibc.poll(&polls, nfds_t(polls.count), watchdogMilliseconds) > 0 else {
        throw LineSocket.Failure(description: "nothing happens")
      }
      for (side, poll) in zip(sides, polls) {
        if poll.revents & Int16(POLLOUT) != 0 { try side.send() }
        if poll.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 { try side.receive() }
      }
    }
  }

  private func poll() -> pollfd {
    if unsent.isEmpty, let next = more() { unsent = next[...] }
    let events = unsent.isEmpty ? POLLIN : POLLIN | POLLOUT
    return pollfd(fd: socket.descriptor, events: Int16(events), revents: 0)
  }

  private func send() throws { unsent = unsent.dropFirst(try socket.sendSome(unsent)) }

  private func receive() throws {
    let wanted = 1 << 20
    let start = partial.count
    partial += repeatElement(0, count: wanted)
    let count = partial.withUnsafeMutableBytes {
      recv(socket.descriptor, $0.baseAddress! + start, wanted, Int32(MSG_DONTWAIT))
    }
    partial.removeLast(wanted - max(count, 0))
    guard count > 0 else {
      throw LineSocket.Failure(description: "the peer closed: \(count), errno \(errno)")
    }
    try hearLines()
  }

  private func hearLines() throws {
    let chunk = partial
    var start = 0
    try chunk.withUnsafeBytes { bytes in
      while let end = memchr(bytes.baseAddress! + start, 0x0a, bytes.count - start) {
        let length = UnsafeRawPointer(end) - (bytes.baseAddress! + start)
        try hear(Line(rebasing: bytes[start..<start + length]), self)
        start += length + 1
      }
    }
    partial = Array(chunk[start...])
  }
}
