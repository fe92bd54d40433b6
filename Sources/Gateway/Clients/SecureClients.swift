import GatewayCore
import LibUV
import TLS
import TLSStreams

/// Greets the clients of TLS listeners, and knows unfinished handshakes and clients with certificates.
final class SecureClients {
  /// Told on the loop.
  struct Hearing {
    /// A client can be served.
    var secured: (TLSTransport) -> Void
    /// A handshake came to nothing.
    var failed: (String) -> Void
    /// A handshake took time of the turn.
    var worked: () -> Void
    /// Handshakes hold more or less than before.
    var hold: () -> Void
  }

  /// By listener; nil: it has no TLS.
  private(set) var contexts: [TLSContext?]
  private let closes: LingeringCloses
  private let loop: EventLoop
  /// Each client costs a signature, so no more are accepted than there is time for: else waiting clients would fill the
  /// places of newcomers.
  static let acceptsPerTurn = 4
  /// Where hellos come faster than they are answered, clients wait in the kernel: nobody gives way whose hello is there.
  private static let behindMilliseconds: UInt64 = 1
  /// So many handshakes at once leave memory behind; it is given back once they have been over for this long.
  static let manyHandshakes = 256
  static let giveBackMilliseconds: UInt64 = 1000

  private let scratch = TLSScratch()
  private(set) var handshakeMilliseconds: UInt64
  private(set) var handshakeLimit: Int
  var hearing: Hearing?
  private var count: UInt64 = 0
  private var waiting = Handshakes<TLSTransport>()
  /// When there were last many of them; nil: not since memory was given back.
  private var manyMilliseconds: UInt64?
  /// Clients whose certificate was checked: after a reload, another authority may not vouch for it.
  private var known: [UInt64: TLSTransport] = [:]
  private var timer: LoopTimer?

  init(
    _ contexts: [TLSContext?], _ bounds: GatewayConfiguration.Server, _ closes: LingeringCloses,
    on loop: EventLoop
  ) {
    self.contexts = contexts
    self.closes = closes
    self.loop = loop
    handshakeMilliseconds = bounds.handshakeMilliseconds
    handshakeLimit = bounds.handshakes
  }

  var waitingCount: Int { waiting.count }

  func context(of listener: Int) -> TLSContext? {
    contexts.indices.contains(listener) ? contexts[listener] : nil
  }

  /// Begins the handshake with a client that has connected.
  func greet(_ stream: ByteStream, _ listener: Int) {
    // A client that is already gone shall cost as little as possible.
    guard let context = context(of: listener), !stream.peerState.isGone else { return stream.close() }
    do throws(TLSFault) {
      let secure = TLSStream(stream, try TLSEngine(server: context), scratch, on: loop)
      count += 1
      let transport = TLSTransport(
        secure, context, number: count, listener: listener, closes: closes, owner: self)
      waiting.begin(count, transport, atMilliseconds: loop.nowMilliseconds)
      if waiting.count >= Self.manyHandshakes { manyMilliseconds = loop.nowMilliseconds }
      hearing?.hold()
      makeRoom()
      arm()
      transport.greet()
    } catch {
      stream.close()
      hearing?.failed("\(error)")
    }
  }

  // MARK: Bounds

  /// For how long no more clients are accepted; nil: there is room.
  var acceptDelayMilliseconds: UInt64? {
    waiting.isBehind(handshakeLimit) { $0.peerState } ? Self.behindMilliseconds : nil
  }

  func keep(_ bounds: GatewayConfiguration.Server) {
    handshakeMilliseconds = bounds.handshakeMilliseconds
    handshakeLimit = bounds.handshakes
    makeRoom()
    arm()
  }

  /// To fill all places an attacker must be faster than honest clients, whose handshakes are over in no time.
  private func makeRoom() {
    while let transport = waiting.givingWay(handshakeLimit, { $0.peerState }) {
      giveUp(transport, "more handshakes at once than 'handshakes' allows")
    }
  }

  private func timerFired() {
    giveBackMemory()
    while let (transport, due) = first, due <= loop.nowMilliseconds {
      giveUp(transport, "a handshake took longer than 'handshakeMs' allows")
    }
    arm()
  }

  /// The handshake that began first, and when it is too late.
  private var first: (transport: TLSTransport, dueMilliseconds: UInt64)? {
    waiting.first().map { ($0.peer, $0.begunMilliseconds + handshakeMilliseconds) }
  }

  private func giveUp(_ transport: TLSTransport, _ reason: String) {
    transport.drop()
    hearing?.failed(reason)
  }

  private func arm() {
    let dues = [first?.dueMilliseconds, giveBackDue].compactMap { $0 }
    guard let due = dues.min() else { return timer.map { $0.stop() } ?? () }
    if timer == nil { timer = LoopTimer(on: loop) { [unowned self] in self.timerFired() } }
    timer?.start(atMilliseconds: due)
  }

  private var giveBackDue: UInt64? { manyMilliseconds.map { $0 + Self.giveBackMilliseconds } }

  /// The core, which does so otherwise, never knew of them.
  private func giveBackMemory() {
    guard let giveBackDue, giveBackDue <= loop.nowMilliseconds else { return }
    guard waiting.count < Self.manyHandshakes else { return manyMilliseconds = loop.nowMilliseconds }
    manyMilliseconds = nil
    ProcessMemory.trim()
  }

  // MARK: Other certificates

  /// Greets with these contexts from now on. A client whose certificate they refuse is closed; all others stay.
  func renew(_ contexts: [TLSContext?]) {
    self.contexts = contexts
    for number in known.keys.sorted() {
      guard let transport = known[number], !isLetIn(transport) else { continue }
      transport.hangUp()
    }
  }

  private func isLetIn(_ transport: TLSTransport) -> Bool {
    guard let context = context(of: transport.listener) else { return false }
    return context === transport.context || transport.isTrusted(by: context)
  }

  /// Nobody is greeted any more.
  func close() {
    for number in waiting.numbers { waiting[number]?.drop() }
    timer?.close()
    timer = nil
    hearing = nil
  }
}

extension SecureClients: TLSTransport.Owner {
  func handshakeWentOn(_ transport: TLSTransport) {
    guard waiting[transport.number] != nil else { return }
    if transport.hasSpoken { waiting.answer(transport.number) }
    hearing?.worked()
  }

  func handshakeEnded(_ transport: TLSTransport) {
    endHandshake(of: transport)
    // The certificates may be others since it was greeted.
    guard isLetIn(transport) else { return giveUp(transport, "the certificate is not trusted any more") }
    known[transport.number] = transport
    hearing?.secured(transport)
  }

  func handshake(_ transport: TLSTransport, failed reason: TLSStreamFault) {
    // A client that speaks no TLS is not answered; others hear the alert that is on its way.
    if case .tls(let fault) = reason, fault.kind != .notTLS { transport.close() } else { transport.drop() }
    hearing?.failed("\(reason)")
  }

  func transportLeft(_ transport: TLSTransport) {
    endHandshake(of: transport)
    known[transport.number] = nil
  }

  private func endHandshake(of transport: TLSTransport) {
    guard waiting[transport.number] != nil else { return }
    waiting.end(transport.number)
    hearing?.hold()
  }
}

extension SecureClients: ArrivingConnections {
  var byteCount: Int { waiting.count * TLSMemory.handshakeBytes }

  func makeRoom(byteCount: Int) {
    while let transport = waiting.givingWay(byteCount / TLSMemory.handshakeBytes, { $0.peerState }) {
      // First, so that nobody is told when it leaves.
      waiting.end(transport.number)
      giveUp(transport, "there is no room for it in 'memoryBytes'")
    }
  }
}

@available(*, unavailable)
extension SecureClients: Sendable {}
