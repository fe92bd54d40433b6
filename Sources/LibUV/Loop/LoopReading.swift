/// The state for every read of a loop's streams, in memory of its own that the loop's `data` points to.
struct LoopReading {
  var round = ReadingRound()
  var turnBytes = EventLoop.defaultTurnBytes
  /// The buffer of one read, with the slack behind it.
  let buffer: UnsafeMutableRawPointer

  init() {
    let byteCount = EventLoop.readBufferBytes + EventLoop.slackByteCount
    buffer = .allocate(byteCount: byteCount, alignment: EventLoop.slackByteCount)
    buffer.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
  }
}
