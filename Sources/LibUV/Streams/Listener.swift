package import Addresses
import CLibUV
import Glibc

/// Accepts connections at one address, and pauses when the system has no descriptor for more.
///
/// It polls a socket of its own rather than use `uv_listen`: libuv, out of descriptors, closes waiting
/// connections or calls back without end, and a listener closed and opened again loses those that wait.
package final class Listener {
  /// How long no connection is accepted after a failure, instead of failing again at once.
  package static let retryMilliseconds: UInt64 = 100
  /// How many connections are accepted before the others get their turn.
  package static let acceptsPerTurn = 64
  /// How many descriptors accepting leaves to the rest of the program, which cannot always wait for one: libdispatch,
  /// on which `Task`s run, traps without.
  package static let spareDescriptors = 16
  /// Where the limit of descriptors is small, one of so many is spared instead.
  private static let smallestShare = 8

  /// Called with the reason when accepting pauses, for logs.
  package var onAcceptFailure: ((UVError) -> Void)?
  /// Called before each connection is accepted. Returns for how long to accept none, in milliseconds, so that
  /// connections wait in the kernel; nil: accept it.
  package var onRoom: (() -> UInt64?)?
  /// The address, with the port that the kernel chose.
  package var address: SocketAddress { socket.address }

  private let socket: ListeningSocket
  /// How many connections the kernel keeps waiting; it adds one of its own.
  private let backlog: Int
  private let acceptsPerTurn: Int
  /// Valid while `poll.isOpen`: a loop cannot end before its handles are closed.
  private unowned(unsafe) let loop: EventLoop
  private var poll: Handle<uv_poll_t>
  private var retry: LoopTimer?
  /// How many descriptors to spare: of a small limit, a small part.
  private let spare = min(Listener.spareDescriptors, DescriptorLimit.current / Listener.smallestShare)
  private var onConnection: ((ByteStream) -> Void)?

  /// - Parameters:
  ///   - mode: the permissions of the file of a Unix socket, whatever the umask; nil: as the umask leaves them.
  ///   - keepAlive: of TCP connections that it accepts; nil: a peer that vanishes is never missed.
  ///   - acceptsPerTurn: how many connections are accepted before the others get their turn.
  ///   - isShared: listeners of other loops may be made `besides` it.
  package convenience init(
    on loop: EventLoop, address: SocketAddress, backlog: Int32 = Listener.usualBacklog, mode: UInt32? = nil,
    keepAlive: KeepAlive? = nil, acceptsPerTurn: Int = Listener.acceptsPerTurn, isShared: Bool = false,
    onConnection: @escaping (ByteStream) -> Void
  ) throws(UVError) {
    let socket = try ListeningSocket(
      address, backlog: backlog, mode: mode, keepAlive: keepAlive, isShared: isShared, on: loop)
    try self.init(socket, backlog, acceptsPerTurn: acceptsPerTurn, on: loop, onConnection)
  }

  /// Makes another listener at the same address, on another loop: each connection is accepted by one of them.
  package convenience init(
    on loop: EventLoop, besides other: Listener, keepAlive: KeepAlive? = nil,
    acceptsPerTurn: Int = Listener.acceptsPerTurn, onConnection: @escaping (ByteStream) -> Void
  ) throws(UVError) {
    let backlog = Listener.usualBacklog
    let socket = try ListeningSocket(
      besides: other.socket, backlog: backlog, keepAlive: keepAlive, on: loop)
    try self.init(socket, backlog, acceptsPerTurn: acceptsPerTurn, on: loop, onConnection)
  }

  package static let usualBacklog: Int32 = 511

  private init(
    _ socket: ListeningSocket, _ backlog: Int32, acceptsPerTurn: Int, on loop: EventLoop,
    _ onConnection: @escaping (ByteStream) -> Void
  ) throws(UVError) {
    do throws(UVError) {
      poll = try Handle { uv_poll_init(loop.raw, $0, socket.descriptor) }
    } catch {
      socket.close()
      throw error
    }
    self.socket = socket
    self.backlog = Int(backlog) + 1
    self.acceptsPerTurn = acceptsPerTurn
    self.loop = loop
    self.onConnection = onConnection
    poll.attach(self)
    startAccepting()
  }

  /// Accepts no more connections; accepted ones stay. A second call does nothing.
  package func close() {
    guard poll.isOpen else { return }
    onConnection = nil
    onAcceptFailure = nil
    onRoom = nil
    retry?.close()
    poll.close()
    // Allowed as soon as libuv no longer polls it.
    socket.close()
  }

  /// Accepts the connections that wait already. To be called before `close()`, which resets those that still wait.
  package func acceptWaiting() {
    var left = backlog
    while left > 0, poll.isOpen, acceptOne().isWorthAnother { left -= 1 }
  }

  private func startAccepting() {
    guard poll.isOpen else { return }
    uv_poll_start(poll.raw, Int32(UV_READABLE.rawValue)) { poll, _, _ in
      owner(of: poll, as: Listener.self).accept()
    }
  }

  private func accept() {
    for _ in 0..<acceptsPerTurn where poll.isOpen {
      if let milliseconds = onRoom?() { return pause(forMilliseconds: milliseconds) }
      let outcome = acceptOne()
      if case .failure(let error) = outcome { return pause(after: error) }
      guard outcome.isWorthAnother else { return }
    }
  }

  private enum Outcome {
    case connection, none
    /// The connection is gone already, or a signal came.
    case interruption
    case failure(UVError)

    var isWorthAnother: Bool {
      switch self {
      case .connection, .interruption: true
      case .none, .failure: false
      }
    }
  }

  private func acceptOne() -> Outcome {
    guard DescriptorLimit.hasFree(spare + 1) else { return .failure(.noDescriptor) }
    let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = accept4(socket.descriptor, nil, nil, flags)
    if descriptor >= 0 {
      accepted(descriptor)
      return .connection
    }
    switch errno {
    case EAGAIN: return .none
    case ECONNABORTED, EINTR: return .interruption
    default: return .failure(.last)
    }
  }

  private func accepted(_ descriptor: Int32) {
    do throws(UVError) {
      onConnection?(try ByteStream(adopting: descriptor, kind, on: loop))
    } catch {
      onAcceptFailure?(error)
    }
  }

  private func pause(after error: UVError) {
    pause(forMilliseconds: Self.retryMilliseconds)
    onAcceptFailure?(error)
  }

  private func pause(forMilliseconds milliseconds: UInt64) {
    uv_poll_stop(poll.raw)
    let retry = retry ?? LoopTimer(on: loop) { [unowned self] in startAccepting() }
    self.retry = retry
    retry.start(afterMilliseconds: milliseconds)
  }

  private var kind: ByteStream.Kind {
    if case .unix = address { .unix } else { .tcp }
  }
}

@available(*, unavailable)
extension Listener: Sendable {}
