import HotData
import JSONRPC

/// Of each upstream connection, too, only so much is handled before it is the turn of others.
extension GatewayCore {
  /// Whether anything that has come of an upstream waits to be handled.
  package var holdsAnswers: Bool { !answerTurns.isEmpty }

  /// Whose turn it is to have more of what has come of it handled.
  package var nextUpstreamInTurn: UpstreamID? {
    answerTurns.isEmpty ? nil : UpstreamID(slot: answerTurns.first - 1)
  }

  /// Bytes of an upstream. Behind the first `count`, `chunk` holds the scanner's slack.
  package mutating func upstreamReceived(_ chunk: Span<UInt8>, count: Int, from upstream: UpstreamID) {
    let slot = upstream.slot
    guard sessions[slot].held == nil else { return putOff(chunk, count: count, from: upstream) }
    counters.bytesFromUpstreams &+= UInt64(count)
    share = TurnShare(messages: configuration.turnAnswers)
    var offset = 0
    readAnswers(chunk, count: count, from: slot, at: &offset)
    if share.isSpent && offset < count { hold(chunk, offset..<count, ofUpstream: slot) }
    noteInput(ofUpstream: slot)
  }

  /// Bytes of an upstream that there is no time for in this turn: they wait behind those of all others.
  package mutating func putOff(_ chunk: Span<UInt8>, count: Int, from upstream: UpstreamID) {
    counters.bytesFromUpstreams &+= UInt64(count)
    hold(chunk, 0..<count, ofUpstream: upstream.slot)
    noteInput(ofUpstream: upstream.slot)
  }

  /// Handles one more share of what has come of the upstream whose turn it is.
  package mutating func goOnWithAnswers() {
    if let upstream = nextUpstreamInTurn { goOn(withAnswersOf: upstream.slot) }
  }

  private mutating func goOn(withAnswersOf slot: Int) {
    guard let input = sessions[slot].held else { return }
    share = TurnShare(messages: configuration.turnAnswers)
    let bytes = input.bytes
    var offset = input.offset
    readAnswers(bytes.span, count: input.byteCount, from: slot, at: &offset)
    // Unless it ended its connection.
    guard sessions[slot].held != nil else { return }
    input.offset = offset
    answerTurnLinks.remove(slot + 1, from: &answerTurns)
    if input.unreadByteCount > 0 {
      answerTurnLinks.append(slot + 1, to: &answerTurns)
    } else {
      sessions[slot].held = nil
    }
    noteInput(ofUpstream: slot)
  }

  /// Its connection ends: what came before counts still.
  mutating func handleHeld(ofUpstream slot: Int) {
    // It may have ended it itself.
    while sessions[slot].isConnected && sessions[slot].held != nil { goOn(withAnswersOf: slot) }
  }

  private mutating func hold(_ chunk: Span<UInt8>, _ range: Range<Int>, ofUpstream slot: Int) {
    guard sessions[slot].isConnected else { return }
    if sessions[slot].held == nil {
      sessions[slot].held = HeldInput()
      answerTurnLinks.append(slot + 1, to: &answerTurns)
    }
    sessions[slot].held?.append(chunk, range)
  }

  /// Nothing of it counts any more.
  mutating func forgetHeld(ofUpstream slot: Int) {
    guard sessions[slot].held != nil else { return }
    answerTurnLinks.remove(slot + 1, from: &answerTurns)
    sessions[slot].held = nil
  }

  /// Of whom something is held nothing is read before that is handled.
  mutating func setReading<Sink: GatewaySink & ~Copyable>(ofUpstream slot: Int, into sink: inout Sink) {
    let isStopped = sessions[slot].held != nil
    guard isStopped != sessions[slot].isReadingStopped else { return }
    sessions[slot].isReadingStopped = isStopped
    sink.setReading(!isStopped, from: UpstreamID(slot: slot))
  }
}
