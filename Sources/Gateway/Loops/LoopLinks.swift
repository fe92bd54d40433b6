import GatewayCore
import LibUV

/// The links from one loop to the process' others, on its own thread: a mailbox each way, which takes all mail of a
/// turn at once.
final class LoopLinks {
  let place: LoopPlace
  private let board: LoopBoard
  private var mailbox: Mailbox<LoopMail>?
  var onMail: ((LoopMail) -> Void)?
  /// Connections as the others know them.
  private var notedConnections = 0
  /// Bytes of their mail that are held here: they are still on their way.
  private var notedHeldBytes = 0
  /// By loop, its own included.
  private var senders: [Mailbox<LoopMail>.Sender] = []
  private var outgoing: MirrorMail
  /// By loop: whether much was on its way there at the end of the last turn.
  private var loaded: [Bool]
  /// What leads to loops of other members of a fleet.
  var remote: (any RemoteLinks)?
  private var sentCount: UInt64 = 0
  private var receivedCount: UInt64 = 0

  init(_ place: LoopPlace, _ board: LoopBoard) {
    self.place = place
    self.board = board
    outgoing = MirrorMail(loops: place.placeCount)
    loaded = [Bool](repeating: false, count: place.count)
  }

  /// To be called before anything runs; returns what others send with.
  func open(on loop: EventLoop) throws(UVError) -> Mailbox<LoopMail>.Sender {
    let mailbox = try Mailbox<LoopMail>(on: loop) { [unowned self] in
      if case .batch(let batch, _, _) = $0 {
        receivedCount += 1
        board.took(bytes: batch.byteCount, by: place.number)
      }
      onMail?($0)
    }
    self.mailbox = mailbox
    return mailbox.sender
  }

  func connect(_ senders: [Mailbox<LoopMail>.Sender]) { self.senders = senders }

  /// The loop ends once nothing else is left.
  func letLoopEnd() { mailbox?.letLoopEnd() }

  /// Nothing comes any more.
  func close() {
    mailbox?.close()
    mailbox = nil
  }

  // MARK: Sending

  /// Returns how many bytes were taken: all of what is written at once, or none, until `takeWritable` names who is to be
  /// written again.
  func write(
    _ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to mirror: MirrorName, of client: ClientID
  ) -> Int {
    unsafe outgoing.write(chunks, to: mirror, of: client)
  }

  /// Mirrors that can be written to again, once the turn has been sent.
  func takeWritable() -> [ClientID] { outgoing.takeWritable() }

  func tellClosed(_ mirror: MirrorName) { outgoing.addClosed(mirror) }

  /// All that mirrors were written, since the start.
  var answeredByteCount: UInt64 { outgoing.writtenByteCount }

  /// Sends what the turn has led to.
  func send(_ take: (Int) -> PeerBatch?) {
    for loop in 0..<place.placeCount where loop != place.number {
      if let batch = take(loop) { send(batch, to: loop) }
      if let batch = outgoing.take(for: loop) { send(batch, to: loop) }
    }
  }

  /// Looks again which loops take no more. Returns them by number if they have changed.
  func lookWhoIsBehind() -> [Bool]? {
    outgoing.note(isBehind)
  }

  /// Looks again to which of the process' loops much is on its way, and tells of those, and of those of which that is so
  /// no more.
  func lookAtLoads(_ tell: (_ loop: Int, _ load: (byteCount: Int, takenByteCount: UInt64)?) -> Void) {
    for loop in 0..<place.count where loop != place.number {
      let load = board.load(of: loop)
      guard load != nil || loaded[loop] else { continue }
      loaded[loop] = load != nil
      tell(loop, load)
    }
  }

  private func isBehind(_ loop: Int) -> Bool {
    loop < place.count ? board.isBehind(loop) : remote?.isBehind(loop) ?? false
  }

  /// What is still to be said to a loop is for nobody.
  func forget(_ loop: Int) { outgoing.forget(loop) }
  func forgetAll() { for loop in 0..<place.placeCount { forget(loop) } }

  private func send(_ batch: PeerBatch, to loop: Int) {
    guard loop < place.count else { return remote?.send(batch, to: loop) ?? () }
    sentCount += 1
    board.count(bytes: batch.byteCount, to: loop)
    senders[loop].send(.batch(batch, from: place.number, life: remote?.life ?? 0))
  }

  // MARK: Connections

  /// This loop has so many; returns how many the others have.
  func connections(_ count: Int) -> Int {
    notedConnections = count
    return board.connections(count, of: place.number)
  }

  func noteConnections(_ count: Int) { if count != notedConnections { _ = connections(count) } }

  /// So much is held of what the others said.
  func noteHeld(_ byteCount: Int) {
    guard byteCount != notedHeldBytes else { return }
    board.count(bytes: byteCount - notedHeldBytes, to: place.number)
    notedHeldBytes = byteCount
  }

  // MARK: Stopping

  /// Something is left to do.
  func isBusy() { board.isBusy(place.number) }

  /// Whether nothing is left to do at any loop, nor on its way to one. The loop that finds this tells the others.
  /// - Parameter isLate: it stops whatever the others do.
  func mayStop(isLate: Bool) -> Bool {
    switch board.isQuiet(place.number, sent: sentCount, received: receivedCount) {
    case .no: return isLate
    case .yes: return true
    case .sinceNow:
      for loop in 0..<place.count where loop != place.number {
        senders[loop].send(.call { $0.lookAgain() })
      }
      return true
    }
  }
}

@available(*, unavailable)
extension LoopLinks: Sendable {}
