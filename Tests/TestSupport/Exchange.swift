import Glibc

/// One side of a conversation that sends more than anybody can hold, and hears lines meanwhile.
package final class Exchange {
  package typealias Line = UnsafeRawBufferPointer

  private let socket: LineSocket
  private let hear: (Line, Exchange) throws -> Void
  /// What comes next; nil when there is no more.
  private var more: () -> [UInt8]?
  private var unsent: ArraySlice<UInt8> = []
  /// What has come, its first bytes those of a line whose end has not.
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 1)
  private var heldBytes = 0

  /// - Parameter sending: gives the bytes to send, part by part.
  package init(
    _ socket: LineSocket, sending more: @escaping () -> [UInt8]? = { nil },
    hearing hear: @escaping (Line, Exchange) throws -> Void
  ) {
    self.socket = socket
    self.more = more
    self.hear = hear
  }

  deinit { buffer.deallocate() }

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
    let room = UnsafeMutableRawBufferPointer(rebasing: buffer[heldBytes...])
    let count = recv(socket.descriptor, room.baseAddress, room.count, Int32(MSG_DONTWAIT))
    guard count > 0 else {
      throw LineSocket.Failure(description: "the peer closed: \(count), errno \(errno)")
    }
    heldBytes += count
    try hearLines()
  }

  private func hearLines() throws {
    let start = buffer.baseAddress!
    var offset = 0
    while let end = memchr(start + offset, 0x0a, heldBytes - offset) {
      let length = UnsafeRawPointer(end) - UnsafeRawPointer(start + offset)
      try hear(Line(start: start + offset, count: length), self)
      offset += length + 1
    }
    heldBytes -= offset
    memmove(start, start + offset, heldBytes)
    guard heldBytes < buffer.count else { throw LineSocket.Failure(description: "a line is too long") }
  }
}
