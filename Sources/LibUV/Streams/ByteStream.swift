import CLibUV
import Glibc

/// One connection, over TCP or a Unix-domain socket.
///
/// It lives until `close()`, whether or not anybody else holds it. `ByteStream+Reading.swift` has its reading,
/// `ByteStream+Writing.swift` its writing.
package final class ByteStream {
  enum Kind { case tcp, unix }

  /// What becomes of the bytes that are read, which decides how many are read in a turn.
  package enum Reader {
    /// Somebody waits for them: its share is read in each turn.
    case own
    /// A client's, one of many: where there is no time for all of them, less is read of each at once.
    case client
    /// They are thrown away: all such connections together have one share in a turn.
    case nobody
  }

  /// Whether the stream works, and whether the delegate knows if it does not.
  enum Health {
    case sound
    /// It failed inside a call of the owner's; the delegate is told at the end of the turn.
    case failing(UVError)
    /// The delegate was told. Only `close()` may follow.
    case failed
  }

  // There may be thousands: in this order the fields fit into 72 bytes. Each is used for a moment only, and the check
  // that no two uses overlap would cost more than the use.

  /// Retained until `close()`.
  @exclusivity(unchecked) package var delegate: (any ByteStreamDelegate)?
  private var closing: CloseCallback?
  /// Valid while `handle.isOpen`: a loop cannot end before its handles are closed.
  unowned(unsafe) let loop: EventLoop
  @exclusivity(unchecked) var inFlight: InFlightWrite?
  @exclusivity(unchecked) var handle: Handle<clibuv_connection_t>
  let kind: Kind
  @exclusivity(unchecked) var wantsReading = false
  /// The peer has sent FIN.
  @exclusivity(unchecked) package internal(set) var hasEnded = false
  @exclusivity(unchecked) private var keptToken: UInt32 = 0
  @exclusivity(unchecked) var readingShare = ReadingShare()
  @exclusivity(unchecked) var health = Health.sound
  @exclusivity(unchecked) var isShutDown = false
  /// Whether its accepted bytes count in the loop's `inFlightBytes`. To be set before anything is written.
  @exclusivity(unchecked) package var countsInFlight = false
  @exclusivity(unchecked) package var reader = Reader.own {
    didSet { if reader == .nobody { goOnForNobody() } }
  }

  init(_ kind: Kind, on loop: EventLoop) throws(UVError) {
    self.loop = loop
    self.kind = kind
    // Never `&$0.pointee.tcp`: a union's member is a temporary copy, and libuv keeps the handle's address.
    let byteCount = kind == .tcp ? MemoryLayout<uv_tcp_t>.size : MemoryLayout<uv_pipe_t>.size
    handle = try Handle(byteCount: byteCount) {
      let memory = UnsafeMutableRawPointer($0)
      return switch kind {
      case .tcp: uv_tcp_init(loop.raw, memory.assumingMemoryBound(to: uv_tcp_t.self))
      case .unix: uv_pipe_init(loop.raw, memory.assumingMemoryBound(to: uv_pipe_t.self), 0)
      }
    }
    handle.attach(self)
    // Before there is a socket libuv only notes this, and applies it when there is one.
    if kind == .tcp { uv_tcp_nodelay(handle.cast(), 1) }
  }

  /// Takes over a connected socket; closes it if that fails.
  convenience init(adopting descriptor: Int32, _ kind: Kind, on loop: EventLoop) throws(UVError) {
    do throws(UVError) {
      try self.init(kind, on: loop)
    } catch {
      Glibc.close(descriptor)
      throw error
    }
    let status =
      switch kind {
      case .tcp: uv_tcp_open(handle.cast(), descriptor)
      case .unix: uv_pipe_open(handle.cast(), descriptor)
      }
    guard status == 0 else {
      Glibc.close(descriptor)
      close()
      throw UVError(code: status)
    }
  }

  /// The owner's own number for this connection; never looked at here.
  package var token: UInt32 {
    get { keptToken }
    set { keptToken = newValue }
  }

  /// The id of the user who connected to a Unix socket, at the time of connecting; nil for other sockets.
  package var peerUser: UInt32? {
    var descriptor: Int32 = -1
    guard kind == .unix, handle.isOpen, uv_fileno(handle.cast(), &descriptor) == 0 else { return nil }
    return UInt32(exactly: clibuv_peer_user(descriptor))
  }

  /// The address of a TCP socket's peer, as ADDRESS:PORT; nil for other sockets.
  package var peerAddress: String? {
    var descriptor: Int32 = -1
    guard handle.isOpen, uv_fileno(handle.cast(), &descriptor) == 0 else { return nil }
    let text = [CChar](unsafeUninitializedCapacity: Self.addressCapacity) { buffer, count in
      count = clibuv_peer_address(descriptor, buffer.baseAddress!, buffer.count)
    }
    return text.isEmpty ? nil : String(decoding: text.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static let addressCapacity = 64

  /// Closes the connection; bytes that were not sent are lost. The delegate hears nothing afterwards.
  package func close() {
    delegate = nil
    forgetInFlight()
    handle.close {
      owner(of: $0, as: ByteStream.self).closed()
      releaseOwner(of: $0!)
    }
  }

  /// As `close()`, but a TCP peer sees a reset instead of an end.
  package func reset() {
    var descriptor: Int32 = -1
    if kind == .tcp && handle.isOpen && uv_fileno(handle.cast(), &descriptor) == 0 {
      // `uv_tcp_close_reset` does the same but refuses while a shutdown waits for a write.
      Self.resetWhenClosed(descriptor)
    }
    close()
  }

  /// Makes closing the descriptor reset a TCP connection; bytes that were not sent by then are lost.
  package static func resetWhenClosed(_ descriptor: Int32) {
    var noLinger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &noLinger, socklen_t(MemoryLayout<linger>.size))
  }

  /// Called once libuv has closed the connection.
  package var onClose: (() -> Void)? {
    get { closing?.body }
    set { closing = newValue.map(CloseCallback.init) }
  }

  private func closed() {
    let onClose = onClose
    closing = nil
    onClose?()
  }
}

/// Holds the callback in an object of its own, as few connections have one.
private final class CloseCallback {
  let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }
}

extension ByteStream: TurnEndWork {
  /// Tells the delegate, from a libuv callback or the end of a turn.
  func fail(_ error: UVError) {
    if case .failed = health { return }
    guard handle.isOpen else { return }
    health = .failed
    stopReading()
    delegate?.stream(self, failed: error)
  }

  /// The delegate is not called from within its own calls.
  func failAtTurnEnd(_ error: UVError) {
    guard case .sound = health else { return }
    health = .failing(error)
    loop.atTurnEnd(self)
  }

  func turnEnded() {
    guard handle.isOpen else { return }
    if case .failing(let error) = health { fail(error) }
  }
}

@available(*, unavailable)
extension ByteStream: Sendable {}
