import GatewayCore

/// What mirrors were written in this turn, by the loops of their clients.
struct MirrorMail {
  private var answers: [PeerBatch]
  private var sent: SentBatches
  /// By loop: whether as much is on its way there as may be, as it was at the end of the last turn.
  private var behind: [Bool]
  /// Mirrors of which more was to be written than another loop takes at the moment.
  private var waiting: [ClientID] = []
  /// All of what was written, since the start.
  private(set) var writtenByteCount: UInt64 = 0

  init(loops: Int) {
    answers = [PeerBatch](repeating: PeerBatch(), count: loops)
    behind = [Bool](repeating: false, count: loops)
    sent = SentBatches(count: 2 * loops)
  }

  /// Returns how many bytes were taken: all of them, or none, until `takeWritable` names the mirror.
  mutating func write(
    _ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to mirror: MirrorName, of client: ClientID
  ) -> Int {
    let hasRoom = !behind[mirror.loop] && answers[mirror.loop].byteCount < LoopBoard.mostBytesUnderWay
    guard hasRoom || answers[mirror.loop].ends(with: mirror) else {
      waiting.append(client)
      return 0
    }
    let count = unsafe answers[mirror.loop].addAnswers(chunks, to: mirror)
    writtenByteCount &+= UInt64(count)
    return count
  }

  mutating func takeWritable() -> [ClientID] {
    guard !waiting.isEmpty else { return [] }
    defer { waiting = [] }
    return waiting
  }

  mutating func addClosed(_ mirror: MirrorName) { answers[mirror.loop].addClosed(mirror) }

  mutating func take(for loop: Int) -> PeerBatch? {
    answers[loop].isEmpty ? nil : sent.take(&answers[loop])
  }

  mutating func forget(_ loop: Int) { answers[loop] = PeerBatch() }

  /// Notes which loops take no more. Returns them by number if they have changed.
  mutating func note(_ isBehind: (Int) -> Bool) -> [Bool]? {
    var hasChanged = false
    for loop in behind.indices where isBehind(loop) != behind[loop] {
      behind[loop].toggle()
      hasChanged = true
    }
    return hasChanged ? behind : nil
  }
}
