import HotData
import JSONRPC
import TaskStore

/// How much is held for clients: unread output, half-received input, and answers of batches. It has three quarters of
/// `memoryBytes`, beyond which the connections for which most is held are closed; what requests ask has the last.
///
/// What is held for upstreams has bounds of its own, and closes nobody.
extension GatewayCore {
  /// So much of a bound is freed at once, one of so many parts: the walk over all clients is paid for by that.
  static let freedPart = 16

  /// Bytes that are held, shared ones counted once.
  package var heldByteCount: Int {
    clientByteCount &+ requestByteCount &+ upstreamBlocks.bytesInUse &+ upstreamInputBytes
  }

  /// Those of clients, but for what their requests ask.
  package var clientByteCount: Int { blocks.bytesInUse &+ inputBytes &+ batchBytes &+ shellBytes }

  private var isOverfull: Bool { clientByteCount > clientLimitBytes }

  /// The configuration is new.
  mutating func noteLimits() {
    let part = configuration.memoryBytes / GatewayConfiguration.requestPart
    clientLimitBytes = part > 0 ? part * (GatewayConfiguration.requestPart - 1) : .max
    requestLimitBytes = part > 0 ? min(part, configuration.payloadBytes) : configuration.payloadBytes
    noteRoom()
  }

  /// Notes how much output may come until the next flush.
  private mutating func noteRoom() {
    guard clientLimitBytes < .max else { return blocks.limitBytes = .max }
    blocks.limitBytes = max(0, clientLimitBytes - (clientByteCount - blocks.bytesInUse))
  }

  // MARK: What counts

  /// What a client half sent, or what is held of it, has become more or less.
  mutating func noteInput(of client: Int) {
    guard !clients[client].isGivenUp else { return }
    let byteCount = clients[client].framer.heldByteCount &+ (clients[client].held?.memoryByteCount ?? 0)
    let more = byteCount &- clients[client].inputBytes
    guard more != 0 else { return }
    clients[client].inputBytes = byteCount
    inputBytes += more
    if more > 0 && isOverfull { makeRoom() }
  }

  mutating func noteInput(ofUpstream slot: Int) {
    let byteCount = sessions[slot].framer.heldByteCount &+ (sessions[slot].held?.memoryByteCount ?? 0)
    upstreamInputBytes += byteCount &- sessions[slot].inputBytes
    sessions[slot].inputBytes = byteCount
  }

  mutating func count(batchBytes byteCount: Int, of client: Int) {
    clients[client].batchBytes += byteCount
    batchBytes += byteCount
    if byteCount > 0 && isOverfull { makeRoom() }
  }

  // MARK: Making room

  /// Whether somebody had to make room before the turn ends.
  mutating func hasMadeRoom<Sink: GatewaySink & ~Copyable>(with sink: inout Sink) -> Bool {
    shellBytes = sink.heldByteCount
    let before = counters.clientsClosedForRoom
    if isOverfull { makeRoom(with: &sink) }
    if hasLentRequestRoom {
      hasLentRequestRoom = false
      if requestByteCount > requestLimitBytes { makeRequestRoom() }
    }
    noteRoom()
    return counters.clientsClosedForRoom != before
  }

  /// Gives up those clients for whom most is held, until a part of the bound is free again.
  @inline(never)
  mutating func makeRoom() {
    if isOverfull {
      let enough = clientLimitBytes - clientLimitBytes / Self.freedPart
      for holder in holders(shellBytes: { _ in 0 }) where clientByteCount > enough {
        makeRoom(byClosing: holder.client)
      }
    }
    noteRoom()
  }

  /// The same at the turn's end, when it is known what the shell has taken for whom: connections that are departing go
  /// by the same measure.
  @inline(never)
  private mutating func makeRoom<Sink: GatewaySink & ~Copyable>(with sink: inout Sink) {
    let holders = self.holders { sink.heldByteCount(of: ClientID(slot: $0)) }
    let enough = clientLimitBytes - clientLimitBytes / Self.freedPart
    var departing = sink.departing.sorted { ($0.byteCount, $0.number) < ($1.byteCount, $1.number) }
    for holder in holders + [Holder()] {
      while clientByteCount > enough, let last = departing.last, last.byteCount >= holder.byteCount {
        departing.removeLast()
        sink.drop(last)
        shellBytes -= last.byteCount
      }
      guard clientByteCount > enough, holder.client >= 0 else { continue }
      makeRoom(byClosing: holder.client)
      shellBytes -= holder.shellBytes
    }
  }

  /// A client for whom something is held, the shell's part included.
  private struct Holder {
    var client = -1
    var byteCount = 0
    var shellBytes = 0
  }

  /// Those for whom something is held, those for whom it is most first.
  private func holders(shellBytes: (Int) -> Int) -> [Holder] {
    var holders: [Holder] = []
    for slot in 0..<clients.endSlot where clients.contains(slot) && !clients[slot].isGivenUp {
      let shellBytes = shellBytes(slot)
      let byteCount = clients[slot].heldByteCount + shellBytes
      if byteCount > 0 {
        holders.append(Holder(client: slot, byteCount: byteCount, shellBytes: shellBytes))
      }
    }
    holders.sort { ($0.byteCount, $1.client) > ($1.byteCount, $0.client) }
    return holders
  }

  /// What was kept for it goes at once, the rest when its connection is closed at the end of the turn.
  mutating func makeRoom(byClosing client: Int) {
    counters.clientsClosedForRoom += 1
    clients[client].isGivenUp = true
    clients[client].makesRoom = true
    clients[client].output.removeAll()
    inputBytes -= clients[client].inputBytes
    clients[client].inputBytes = 0
    count(batchBytes: -clients[client].batchBytes, of: client)
    for batch in batchLinks.slots(of: clients[client].batches) { batches[batch - 1].answers = [] }
    wait(for: client, hasAdvanced: false)
    markDirty(client)
  }
}
