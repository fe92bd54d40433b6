import HotData
import Identity
import JSONRPC
import TaskStore

/// How much is held for clients: unread output, half-received input, answers of batches, and their transports. It has
/// three quarters of `memoryBytes`; beyond that the connections that hold most are closed. Requests have the last
/// quarter. All connections of a principal count as one: of the principal that holds most the largest goes first.
///
/// What is held for upstreams has bounds of its own, and closes nobody.
extension Edge {
  /// So much of a bound is freed at once, one of so many parts: the walk over all clients is paid for by that.
  static let freedPart = 16

  /// Bytes held for clients, without those of their requests and transports.
  var clientByteCount: Int { blocks.bytesInUse &+ inputBytes &+ batchBytes &+ shellBytes }

  var isOverfull: Bool { clientByteCount > roomBytes }

  /// Notes how much output may come until the next flush.
  @inline(__always)
  mutating func noteRoom() {
    blocks.limitBytes =
      roomBytes == .max ? .max : max(0, roomBytes &- (inputBytes &+ batchBytes &+ shellBytes))
  }

  /// The size of a client's half-sent or held input has changed.
  @inline(__always)
  mutating func noteInput(of client: Int) {
    if clients[client].holdsNoInput && clients[client].inputBytes == 0 { return }
    countInput(of: client)
  }

  @inline(never)
  private mutating func countInput(of client: Int) {
    guard !clients[client].isGivenUp else { return }
    let byteCount = clients[client].framer.heldByteCount &+ (clients[client].held?.memoryByteCount ?? 0)
    let more = byteCount &- clients[client].inputBytes
    guard more != 0 else { return }
    clients[client].inputBytes = byteCount
    inputBytes += more
    if more > 0 && isOverfull { makeRoom() }
  }

  mutating func count(batchBytes byteCount: Int, of client: Int) {
    clients[client].batchBytes += byteCount
    batchBytes += byteCount
    if byteCount > 0 && isOverfull { makeRoom() }
  }

  /// Gives up those clients for whom most is held, until a part of the bound is free again.
  @inline(never)
  mutating func makeRoom() {
    if isOverfull {
      for holder in holders(shellBytes: { _ in 0 }) where clientByteCount > enough(of: roomBytes) {
        makeRoom(byClosing: holder.client)
      }
    }
    noteRoom()
  }

  /// What is little enough where this is the most.
  private func enough(of limitBytes: Int) -> Int { limitBytes - clientLimitBytes / Self.freedPart }

  /// At the turn's end, when it is known how much the shell has still to send.
  @inline(__always)
  mutating func makeRoomIfOverfull<Sink: GatewaySink & ~Copyable>(with sink: inout Sink) {
    shellBytes = sink.heldByteCount
    if clientByteCount > turnRoomBytes { makeRoom(with: &sink) }
  }

  /// The same at the turn's end, when it is known how much the shell has taken for each client. Connections that are no
  /// clients yet go first; departing ones are ranked among the clients.
  @inline(never)
  private mutating func makeRoom<Sink: GatewaySink & ~Copyable>(with sink: inout Sink) {
    haveArrivingGiveWay(with: &sink)
    guard clientByteCount > turnRoomBytes else { return }
    let holders = self.holders { sink.heldByteCount(of: ClientID(slot: $0)) }
    var departing = sink.departing.sorted { ($0.byteCount, $0.number) < ($1.byteCount, $1.number) }
    for holder in holders + [Holder()] {
      while clientByteCount > enough(of: turnRoomBytes), let last = departing.last,
        last.byteCount >= holder.partyBytes
      {
        departing.removeLast()
        sink.drop(last)
        shellBytes -= last.byteCount
      }
      guard clientByteCount > enough(of: turnRoomBytes), holder.client >= 0 else { continue }
      makeRoom(byClosing: holder.client)
      shellBytes -= holder.shellBytes
    }
  }

  /// What was kept for it goes at once, the rest when its connection is closed at the end of the turn.
  mutating func makeRoom(byClosing client: Int) {
    counters.clientsClosedForRoom += 1
    clients[client].end(as: .dropped)
    clients[client].output.removeAll()
    inputBytes -= clients[client].inputBytes
    clients[client].inputBytes = 0
    forgetTransport(of: client)
    count(batchBytes: -clients[client].batchBytes, of: client)
    for batch in batchLinks.slots(of: clients[client].batches) { batches[batch - 1].answers = [] }
    wait(for: client, hasAdvanced: false)
    markDirty(client)
  }

  /// The connections that hold something, in the order in which they make room.
  private func holders(shellBytes: (Int) -> Int) -> [Holder] {
    var holders: [Holder] = []
    for slot in 0..<clients.endSlot where clients.contains(slot) && !clients[slot].isGivenUp {
      let shellBytes = shellBytes(slot)
      let byteCount = heldByteCount(of: slot) + shellBytes
      if byteCount > 0 {
        let principal = clients[slot].principal.number
        holders.append(
          Holder(
            client: slot, principal: principal, byteCount: byteCount, shellBytes: shellBytes,
            number: clients[slot].number))
      }
    }
    return Holder.inOrder(holders)
  }
}
