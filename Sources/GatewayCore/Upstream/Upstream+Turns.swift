import HotData
import JSONRPC
import TaskStore

/// Of each upstream connection only so much is handled before it is the turn of others.
extension Upstream {
  /// Whether anything that has come of an upstream waits to be handled.
  var holdsAnswers: Bool { !answerTurns.isEmpty }

  /// The upstream whose held input is handled next.
  var nextInTurn: Int? { answerTurns.isEmpty ? nil : answerTurns.first - 1 }

  @inline(__always)
  func isHeld(_ slot: Int) -> Bool { sessions[slot].held != nil }
  func held(ofUpstream slot: Int) -> HeldInput? { sessions[slot].held }

  /// Bytes that there is no time for in this turn.
  mutating func putOff(_ chunk: Span<UInt8>, count: Int, from slot: Int) {
    counters.bytesFromUpstreams &+= UInt64(count)
    hold(chunk, 0..<count, ofUpstream: slot)
    noteInput(ofUpstream: slot)
  }

  /// So much of what is held has been handled: what is left waits for the next turn.
  mutating func endTurn(of slot: Int, _ input: HeldInput, at offset: Int) {
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

  mutating func hold(_ chunk: Span<UInt8>, _ range: Range<Int>, ofUpstream slot: Int) {
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

  /// An upstream is not read while some of its input is held.
  mutating func setReading<Sink: GatewaySink & ~Copyable>(ofUpstream slot: Int, into sink: inout Sink) {
    let isStopped = sessions[slot].held != nil
    guard isStopped != sessions[slot].isReadingStopped else { return }
    sessions[slot].isReadingStopped = isStopped
    sink.setReading(!isStopped, from: UpstreamID(slot: slot))
  }

  @inline(__always)
  mutating func noteInput(ofUpstream slot: Int) {
    if sessions[slot].inputBytes == 0, sessions[slot].held == nil, sessions[slot].framer.isBetweenLines {
      return
    }
    countInput(ofUpstream: slot)
  }

  @inline(never)
  private mutating func countInput(ofUpstream slot: Int) {
    let byteCount = sessions[slot].framer.heldByteCount &+ (sessions[slot].held?.memoryByteCount ?? 0)
    upstreamInputBytes += byteCount &- sessions[slot].inputBytes
    sessions[slot].inputBytes = byteCount
  }
}
