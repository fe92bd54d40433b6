import CLibUV

/// Tells when a socket that somebody else owns can be read or written.
///
/// There is one at most for a socket, and it is closed before the socket is.
package final class SocketPoll {
  package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let readable = Readiness(rawValue: 1)
    package static let writable = Readiness(rawValue: 2)
    /// Only told, never asked for: the next call on the socket says what is wrong.
    package static let failed = Readiness(rawValue: 4)
  }

  private var handle: Handle<uv_poll_t>
  private var wanted: Readiness = []
  private var onReady: ((Readiness) -> Void)?
  private let turns: PollTurns?
  private var lastRound: UInt32 = 0

  /// - Parameter takesTurns: its owner takes long, and there are others like it: it may be told later.
  package init(
    _ socket: Int32, on loop: EventLoop, takesTurns: Bool = false, onReady: @escaping (Readiness) -> Void
  ) throws(UVError) {
    turns = takesTurns ? loop.pollTurns : nil
    handle = try Handle { uv_poll_init_socket(loop.raw, $0, socket) }
    self.onReady = onReady
    handle.attach(self)
  }

  /// Calls back, turn after turn, while one of these is so. None: not at all.
  package func watch(_ readiness: Readiness) {
    wanted = readiness
    arm()
  }

  /// It goes on telling, but only as long as there are other reasons for the loop to run.
  package func letLoopEnd() {
    handle.letLoopEnd()
  }

  /// The socket may be closed from now on, and its number be given to another.
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
    // libuv does not watch any further, but the owner may not be through with the socket.
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
