import CLibUV

/// Tells when a socket of another owner, such as libcurl, can be read or written.
///
/// A socket has at most one, which is closed before the socket.
package final class SocketPoll {
  package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let readable = Readiness(rawValue: 1)
    package static let writable = Readiness(rawValue: 2)
    /// An error, which is reported but cannot be watched for: the next call on the socket says what is wrong.
    package static let failed = Readiness(rawValue: 4)
  }

  private var handle: Handle<uv_poll_t>
  private var wanted: Readiness = []
  private var onReady: ((Readiness) -> Void)?
  private let turns: PollTurns?
  private var lastRound: UInt32 = 0

  /// - Parameter takesTurns: whether its owner takes long for each call: then it takes turns with others like it.
  package init(
    _ socket: Int32, on loop: EventLoop, takesTurns: Bool = false, onReady: @escaping (Readiness) -> Void
  ) throws(UVError) {
    turns = takesTurns ? loop.pollTurns : nil
    handle = try Handle { uv_poll_init_socket(loop.raw, $0, socket) }
    self.onReady = onReady
    handle.attach(self)
  }

  /// Calls back in each turn while the socket is ready for one of these; if there are none, never.
  package func watch(_ readiness: Readiness) {
    wanted = readiness
    arm()
  }

  /// Keeps watching, but lets the loop end in spite of it.
  package func letLoopEnd() {
    handle.letLoopEnd()
  }

  /// Stops watching. After this the socket may be closed, and its number reused.
  package func close() {
    onReady = nil
    handle.close()
  }

  private func arm() {
    guard handle.isOpen else { return }
    guard !wanted.isEmpty else {
      uv_poll_stop(handle.raw)
      return
    }
    uv_poll_start(handle.raw, events(of: wanted)) { poll, status, events in
      owner(of: poll, as: SocketPoll.self).ready(status, events)
    }
  }

  private func ready(_ status: Int32, _ events: Int32) {
    guard status < 0 else {
      if let turns, !turns.serves(&lastRound) { return }
      onReady?(readiness(of: events))
      return
    }
    onReady?(.failed)
    // After an error libuv stops watching, but the owner may still need the socket.
    arm()
  }

  private func events(of readiness: Readiness) -> Int32 {
    var events: UInt32 = 0
    if readiness.contains(.readable) { events |= UV_READABLE.rawValue }
    if readiness.contains(.writable) { events |= UV_WRITABLE.rawValue }
    return Int32(events)
  }

  private func readiness(of events: Int32) -> Readiness {
    var readiness: Readiness = []
    if events & Int32(UV_READABLE.rawValue) != 0 { readiness.insert(.readable) }
    if events & Int32(UV_WRITABLE.rawValue) != 0 { readiness.insert(.writable) }
    return readiness
  }
}

@available(*, unavailable)
extension SocketPoll: Sendable {}
