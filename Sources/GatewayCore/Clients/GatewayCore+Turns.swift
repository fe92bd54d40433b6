import HotData
import JSONRPC
import TaskStore

/// Of each client only so much is handled before it is the others' turn; what has come of it beyond that is held, and
/// nothing more is read from it meanwhile. What is counted here is work, not time: whoever calls has the clock.
extension GatewayCore {
  /// Whether anything that has come waits to be handled.
  package var holdsInput: Bool { !turns.isEmpty || !newTurns.isEmpty || holdsAnswers }

  /// Whether there is more to do at once: what has come, or timers that are due.
  package var isBehind: Bool { isLate || holdsInput }

  /// Messages of so many bytes were handled in this turn, or so many requests of clients that are gone ended, that nobody
  /// should wait for more of that.
  package var hasWorkedMuch: Bool { workBytes >= Self.muchBytes }

  private static let muchBytes = 512 * 1024
  /// To end one takes as long as to read so many bytes of a long message.
  static let bytesPerEndedRequest = 256

  /// Whose turn it is to have more of what has come of it handled.
  package var nextInTurn: ClientID? {
    let isNewTurn = !newTurns.isEmpty && (newTurnsInARow < Self.newTurnsBeforeOthers || turns.isEmpty)
    let list = isNewTurn ? newTurns : turns
    return list.isEmpty ? nil : ClientID(slot: list.first - 1)
  }

  /// So many who wait for their first turn are served before one who has had one.
  private static let newTurnsBeforeOthers = 16

  /// Bytes of a client that there is no time for in this turn. They wait behind those of others like it, but before what
  /// is left of those who sent more than their share.
  package mutating func putOff(_ chunk: Span<UInt8>, count: Int, from client: ClientID) {
    counters.bytesFromClients &+= UInt64(count)
    held(of: client.slot, isNew: true).append(chunk, 0..<count)
    noteInput(of: client.slot)
    wait(for: client.slot, hasAdvanced: false)
  }

  /// The end of a client that is gone, if there is no time for it in this turn: it may have had much open. Nothing more is
  /// handled of it.
  package mutating func putOffEnd(of client: ClientID) { held(of: client.slot, isNew: true).isGone = true }

  /// Handles one more share of what has come of the client whose turn it is.
  package mutating func goOn() {
    guard let slot = nextInTurn?.slot, let input = clients[slot].held else { return }
    newTurnsInARow = input.isNew ? newTurnsInARow + 1 : 0
    if input.isGone { return remove(slot) }
    takeOff(slot, input)
    input.isNew = false
    share = TurnShare(configuration)
    goOnWithArray(input, of: slot)
    var hasAdvanced = false
    if input.array == nil {
      let bytes = input.bytes
      var offset = input.offset
      hasAdvanced = readMessages(bytes.span, count: input.byteCount, from: slot, at: &offset)
      input.offset = offset
    }
    if input.array == nil && (input.unreadByteCount == 0 || !clients[slot].isReading) {
      letGo(input, of: slot)
    } else {
      turnLinks.append(slot + 1, to: &turns)
    }
    noteInput(of: slot)
    wait(for: slot, hasAdvanced: hasAdvanced)
  }

  /// All that came of the client has been handled: it is read from again.
  private mutating func letGo(_ input: HeldInput, of client: Int) {
    clients[client].held = nil
    markDirty(client)
    if input.isLast { clientEnded(ClientID(slot: client)) }
  }

  /// Keeps what has come of a client until it is its turn again.
  mutating func hold(_ chunk: Span<UInt8>, _ range: Range<Int>, of client: Int) {
    held(of: client).append(chunk, range)
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
    if let array = input.array { release(array.batch) }
  }

  // MARK: Timers

  /// Fires one more share of the timers that are due.
  package mutating func goOnWithTimers() {
    guard isLate else { return }
    timersLeft = configuration.turnTimers
    fireDue()
  }

  /// All that is due, in order, as far as the turn has room for it.
  mutating func fireDue() {
    isLate = false
    fireTimers()
    for slot in 0..<upstreams.endSlot where upstreams.contains(slot) { timeAdvanced(atUpstream: slot) }
  }

  /// What has become due without the clock: what was given no time at all, and what there was no room for before.
  mutating func fireMore() {
    if isLate && timersLeft > 0 { fireDue() } else { fireTimers() }
  }

  private mutating func fireTimers() {
    while store.isTimerDue, mayFire() {
      store.fireTimer(effects: &effects)
      performEffects()
    }
  }

  /// Whether there is room in this turn for one more timer, which is due.
  mutating func mayFire() -> Bool {
    guard timersLeft > 0 else {
      isLate = true
      return false
    }
    timersLeft -= 1
    return true
  }

  /// What is due of a task happens before it ends: messages may come before timers, but nobody is answered whose time
  /// has passed. Returns whether the task is still there.
  @inline(never)
  mutating func fireOverdue(of task: TaskID) -> Bool {
    store.fireTimers(of: task, effects: &effects)
    performEffects()
    if store.isLive(task), let due = answerDueMilliseconds(ofCall: task.slot), due <= nowMilliseconds {
      expire(task)
    }
    return store.knows(task)
  }

  // MARK: Arrays

  /// Begins with an array that is longer than what is left of its client's share.
  mutating func open(_ array: Range<Int>, in bytes: Span<UInt8>, itemCount: Int, batch: Int) {
    var copy: [UInt8] = []
    copy.reserveCapacity(array.count + JSONText.slackByteCount)
    copy.append(bytes, array)
    let input = held(of: batches[batch].client)
    input.array = HeldInput.OpenArray(
      batch: batch, itemCount: itemCount, reader: ArrayReader(0..<array.count), bytes: JSONText.padded(copy))
    goOnWithArray(input, of: batches[batch].client)
  }

  private mutating func goOnWithArray(_ input: HeldInput, of client: Int) {
    guard var array = input.array else { return }
    let sender = Sender(client: client, batch: array.batch)
    let bytes = array.bytes
    while !share.isSpent, array.itemCount > 0, let element = array.reader.next(in: bytes.span) {
      array.itemCount -= 1
      receiveItem(element.value.range, in: bytes.span, from: sender)
    }
    input.array = array.itemCount > 0 ? array : nil
    if array.itemCount == 0 { release(array.batch) }
  }
}
