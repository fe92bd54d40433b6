import HotData
import JSONRPC
import TaskStore

/// The turns of clients with held input.
extension Edge {
  /// The client whose held input is handled next.
  var nextInTurn: Int? {
    let isNewTurn = !newTurns.isEmpty && (newTurnsInARow < Self.newTurnsBeforeOthers || turns.isEmpty)
    let list = isNewTurn ? newTurns : turns
    return list.isEmpty ? nil : list.first - 1
  }

  /// So many clients with their first turn are served before one that has had one.
  private static let newTurnsBeforeOthers = 16

  /// Puts off bytes of a client for which this turn has no time. They wait behind those of other such clients, but
  /// before the rest of clients that sent more than their share.
  mutating func putOff(_ chunk: Span<UInt8>, count: Int, from client: Int) {
    counters.bytesFromClients &+= UInt64(count)
    held(of: client, isNew: true).append(chunk, 0..<count)
    noteInput(of: client)
    wait(for: client, hasAdvanced: false)
  }

  /// The same for something that the client of a mirror asked at its own loop.
  mutating func hold(_ batch: PeerBatch, _ event: Int, of mirror: Int) {
    mailByteCount += held(of: mirror, isNew: true).append(batch, event)
    noteInput(of: mirror)
  }

  /// What is held of mirrors, in bytes.
  var heldMailByteCount: Int { mailByteCount }

  /// Whether more is held of a mirror than `times` the room that is left for all mirrors. So others always find room,
  /// however many mirrors hold as much as they may.
  func holdsMuchMail(of mirror: Int, within times: Int = 1) -> Bool {
    (clients[mirror].held?.mailByteCount ?? 0) > times * (GatewayCore.mostMailBytes - mailByteCount)
  }

  /// The next held event of a mirror; nil: none is left.
  mutating func takeMail(_ input: HeldInput) -> (batch: PeerBatch, event: Int)? {
    guard let mail = input.takeMail() else { return nil }
    mailByteCount -= mail.byteCount
    return (mail.batch, mail.event)
  }

  /// Whether a client has ended, and what it has sent goes on all the same.
  func goesOnToItsEnd(_ client: Int) -> Bool {
    clients[client].hasEnded || clients[client].held?.isLast ?? false
  }

  /// The end of a client that is gone, if there is no time for it in this turn: it may have had much open. Nothing more is
  /// handled of it.
  mutating func putOffEnd(of client: Int) { held(of: client, isNew: true).isGone = true }

  /// Whether anything that has come of a client waits to be handled.
  var holdsInput: Bool { !turns.isEmpty || !newTurns.isEmpty }

  /// Whether something of this client is held.
  @inline(__always)
  func isHeld(_ client: Int) -> Bool { clients[client].held != nil }

  /// Takes what is held of the client whose turn it is. If the client is gone it stays where it is.
  mutating func beginTurn(of client: Int) -> HeldInput? {
    guard let input = clients[client].held else { return nil }
    newTurnsInARow = input.isNew ? newTurnsInARow + 1 : 0
    guard !input.isGone else { return input }
    takeOff(client, input)
    input.isNew = false
    return input
  }

  /// Its turn is over: what is left waits for the next. Returns whether all of it has been handled and it ended then.
  mutating func endTurn(of client: Int, _ input: HeldInput) -> Bool {
    guard input.array == nil && (input.isRead || !clients[client].isReading) else {
      turnLinks.append(client + 1, to: &turns)
      return false
    }
    clients[client].held = nil
    mailByteCount -= input.mailByteCount
    // It is read from again.
    markDirty(client)
    return input.isLast
  }

  /// Keeps what has come of a client until it is its turn again.
  mutating func hold(_ chunk: Span<UInt8>, _ range: Range<Int>, of client: Int) {
    held(of: client).append(chunk, range)
  }

  /// Keeps the rest of an array that is longer than its client's share of the turn.
  mutating func holdArray(
    _ array: Range<Int>, in bytes: Span<UInt8>, itemCount: Int, batch: Int, of client: Int
  ) -> HeldInput {
    var copy: [UInt8] = []
    copy.reserveCapacity(array.count + JSONText.slackByteCount)
    copy.append(bytes, array)
    let input = held(of: client)
    input.array = HeldInput.OpenArray(
      batch: batch, itemCount: itemCount, reader: ArrayReader(0..<array.count), bytes: JSONText.padded(copy))
    return input
  }

  private mutating func held(of client: Int, isNew: Bool = false) -> HeldInput {
    if let input = clients[client].held { return input }
    let input = HeldInput()
    input.isNew = isNew
    clients[client].held = input
    if isNew { turnLinks.append(client + 1, to: &newTurns) } else { turnLinks.append(client + 1, to: &turns) }
    heldUpClient = client
    markDirty(client)
    return input
  }

  /// Takes a client out of the line that it is in.
  private mutating func takeOff(_ client: Int, _ input: HeldInput) {
    if input.isNew {
      turnLinks.remove(client + 1, from: &newTurns)
    } else {
      turnLinks.remove(client + 1, from: &turns)
    }
  }

  /// The client is gone.
  mutating func forgetHeld(of client: Int) {
    guard let input = clients[client].held else { return }
    takeOff(client, input)
    clients[client].held = nil
    mailByteCount -= input.mailByteCount
    if let array = input.array { release(array.batch) }
  }
}
