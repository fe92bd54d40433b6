import HotData
import JSONRPC

/// What is written to clients, and when they are read from.
extension Edge {
  /// How much a client had to take, and how much is left of that.
  struct Written {
    let before: Int
    let unsent: Int
  }

  func dirtyClient(_ index: Int) -> Int { dirtyClients[index] }
  /// Clients that have something to be written, or to be closed for.
  var dirtyCount: Int {
    @inline(__always) get { dirtyEnd }
  }
  /// Whether a client is not to be read any more in this turn.
  var hasHeldUp: Bool {
    @inline(__always) get { heldUpClient >= 0 }
  }
  /// Whether a client is to be written to before more comes for it.
  var hasBurst: Bool {
    @inline(__always) get { hasGivenMuch }
  }
  mutating func forgetDirty() {
    dirtyEnd = 0
    hasGivenMuch = false
  }

  /// Whether nothing follows from what a client was written, for it took all, and is as nearly all are.
  @inline(__always)
  func isWritten(_ client: Int, _ written: Written) -> Bool {
    written.unsent == 0 && isUnawaited(client) && clients[client].batchBytes == 0
      && !clients[client].listener.waitsForUpstreams
  }

  @inline(__always)
  mutating func markDirty(_ client: Int) {
    guard !clients[client].isDirty else { return }
    clients[client].isDirty = true
    if dirtyEnd == dirtyClients.count {
      dirtyClients.append(client)
    } else {
      dirtyClients[dirtyEnd] = client
    }
    dirtyEnd &+= 1
  }

  // MARK: Holding back

  var holdsBack: Bool { !heldBack.isEmpty }

  /// Holds back clients that are sure to get more, by `getsMore`: they are written once they get no more, or at
  /// `releaseHeldBack`.
  mutating func holdBack(where getsMore: (Int) -> Bool) {
    var kept = 0
    for place in 0..<dirtyEnd {
      let client = dirtyClients[place]
      if clients.contains(client), isOnlyWritten(client), getsMore(client) {
        clients[client].isDirty = false
        heldBack.append(client)
      } else {
        dirtyClients[kept] = client
        kept += 1
      }
    }
    dirtyEnd = kept
  }

  /// Whether there is something to be written to a client, not much, and nothing else follows from that.
  private func isOnlyWritten(_ client: Int) -> Bool {
    clients[client].isReading && !clients[client].isGivenUp && !isMirror(client)
      && !clients[client].listener.waitsForUpstreams
      && (1..<Self.longestHeldBackBytes).contains(clients[client].output.byteCount)
  }

  /// More is written at once: a write of so much costs little more than its bytes.
  private static let longestHeldBackBytes = 16 * 1024

  /// Some may have been written since, or their places be others': those have nothing to be written.
  mutating func releaseHeldBack() {
    for client in heldBack where clients.contains(client) { markDirty(client) }
    heldBack.removeAll(keepingCapacity: true)
  }

  /// No answer waits for its client to read.
  var hasHandedOutReplies: Bool {
    for slot in 0..<clients.endSlot where clients.contains(slot) {
      if !clients[slot].output.isEmpty { return false }
    }
    return true
  }

  /// Writes what a client still gets; nil: there is nothing to do.
  @inline(__always)
  mutating func write<Sink: GatewaySink & ~Copyable>(to slot: Int, into sink: inout Sink) -> Written? {
    // A client that was removed, or whose number has a new owner, has nothing to flush or flushes early.
    guard clients.contains(slot), clients[slot].isDirty else { return nil }
    clients[slot].isDirty = false
    let id = ClientID(slot: slot)
    let before = clients[slot].output.byteCount
    unsafe clients[slot].output.send { chunks in unsafe sink.write(chunks, to: id) }
    let unsent = clients[slot].output.byteCount
    counters.bytesToClients &+= UInt64(before - unsent)
    return Written(before: before, unsent: unsent)
  }

  /// Whether its connection closes now, for whatever reason but that it has sent all and got all.
  @inline(__always)
  func isOver(_ slot: Int, _ written: Written) -> Bool {
    let isTooMuch = written.unsent + clients[slot].batchBytes > configuration.clientOutputHardBytes
    if isTooMuch || clients[slot].isGivenUp { return true }
    return switch clients[slot].state {
    case .serving: false
    case .leaving: clients[slot].unanswered == 0 && clients[slot].held == nil && written.unsent == 0
    // An array that was begun is answered as a whole.
    case .closing: clients[slot].held?.array == nil && written.unsent == 0
    }
  }

  func close<Sink: GatewaySink & ~Copyable>(_ slot: Int, into sink: inout Sink) {
    let id = ClientID(slot: slot)
    if clients[slot].end == .dropped { sink.drop(id) } else { sink.close(id) }
  }

  /// But for an upstream that is waited for, only output that the client does not read pauses its reading for long: a
  /// cancel must always get through.
  mutating func pauseOrResume(_ slot: Int, _ unsent: Int) {
    clients[slot].leavesMuchUnread = unsent > configuration.unreadPieceBytes
    let soft = configuration.clientOutputSoftBytes
    if !clients[slot].isReadingPaused && unsent > soft {
      clients[slot].isReadingPaused = true
    } else if clients[slot].isReadingPaused && unsent <= soft / 2 {
      clients[slot].isReadingPaused = false
    }
  }

  mutating func waitAfter(_ written: Written, for client: Int) {
    wait(for: client, hasAdvanced: clients[client].waitsFor == .reading && written.unsent < written.before)
  }

  // MARK: Reading

  /// A client is not read while some of its input is held.
  /// - Parameter waitsForUpstream: an upstream of its own does not take what it sends.
  mutating func setReading<Sink: GatewaySink & ~Copyable>(
    _ slot: Int, waitsForUpstream: Bool, into sink: inout Sink
  ) {
    let isStopped = clients[slot].isReadingPaused || clients[slot].held != nil || waitsForUpstream
    guard isStopped != clients[slot].isReadingStopped else { return }
    clients[slot].isReadingStopped = isStopped
    sink.setReading(!isStopped, from: ClientID(slot: slot))
  }

  func waitsForUpstreams(_ client: Int) -> Bool { clients[client].listener.waitsForUpstreams }
  func isReadingStopped(_ client: Int) -> Bool { clients[client].isReadingStopped }

  /// The client of whom something is held at once, if it is still there: no more is read from it, even in this turn.
  @inline(__always)
  mutating func takeHeldUp() -> Int? { heldUpClient < 0 ? nil : takeHeldUpClient() }

  @inline(never)
  private mutating func takeHeldUpClient() -> Int? {
    let slot = heldUpClient
    heldUpClient = -1
    return clients.contains(slot) ? slot : nil
  }
}
