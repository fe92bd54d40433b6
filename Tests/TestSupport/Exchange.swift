import Glibc

/// One side of a conversation that sends more than anybody can hold, and hears messages meanwhile.
package final class Exchange {
  package typealias Line = UnsafeRawBufferPointer

  /// What comes from the peer: lines, or a WebSocket's texts, of one frame each.
  package enum Framing { case lines, frames }

  private let socket: LineSocket
  private let framing: Framing
  private let hear: (Line, Exchange) throws -> Void
  /// What comes next; nil when there is no more.
  private var more: () -> [UInt8]?
  private var unsent: ArraySlice<UInt8> = []
  /// What has come, its first bytes those of a message whose end has not.
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 1)
  private var heldBytes = 0

  /// - Parameter sending: gives the bytes to send, part by part.
  package init(
    _ socket: LineSocket, _ framing: Framing = .lines, sending more: @escaping () -> [UInt8]? = { nil },
    hearing hear: @escaping (Line, Exchange) throws -> Void
  ) {
    self.socket = socket
    self.framing = framing
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
    try hearMessages()
  }

  private func hearMessages() throws {
    var offset = 0
    while let (content, end) = message(from: offset) {
      // Of frames, those that ask whether somebody is there are no messages.
      if framing == .lines || buffer[offset] & 0x08 == 0 { try hear(Line(rebasing: buffer[content]), self) }
      offset = end
    }
    heldBytes -= offset
    memmove(buffer.baseAddress!, buffer.baseAddress! + offset, heldBytes)
    guard heldBytes < buffer.count else { throw LineSocket.Failure(description: "a message is too long") }
  }

  /// Where the next message is, and where it ends; nil if it has not come whole.
  private func message(from offset: Int) -> (content: Range<Int>, end: Int)? {
    switch framing {
    case .lines:
      let start = buffer.baseAddress! + offset
      guard let feed = memchr(start, 0x0a, heldBytes - offset) else { return nil }
      let end = offset + (UnsafeRawPointer(feed) - UnsafeRawPointer(start))
      return (offset..<end, end + 1)
    case .frames:
      // RFC 6455 section 5.2.
      guard heldBytes - offset >= 2 else { return nil }
      var (length, start) = (Int(buffer[offset + 1]), offset + 2)
      if length > 125 {
        let extra = length == 126 ? 2 : 8
        guard heldBytes - start >= extra else { return nil }
        length = buffer[start..<start + extra].reduce(0) { $0 << 8 | Int($1) }
        start += extra
      }
      return heldBytes - start < length ? nil : (start..<start + length, start + length)
    }
  }
}
