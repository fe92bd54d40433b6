/// Decides where the messages of an upstream lie, whose framing is known; only one that spans chunks is copied.
///
/// An upstream that prints other text to where its messages go can be tolerated: see `LineSearch` and
/// `HeaderSearch`.
@usableFromInline
package struct UpstreamFramer: ~Copyable {
  @usableFromInline package let framing: Framing
  @usableFromInline let toleratesNoise: Bool
  @usableFromInline var lines: LineFramer
  private var search = LineSearch()
  private var bodies: ContentLengthFramer

  /// `limitBytes` bounds a message without its header or line end.
  package init(limitBytes: Int, framing: Framing, toleratesNoise: Bool) {
    self.framing = framing
    self.toleratesNoise = toleratesNoise
    lines = LineFramer(limitBytes: limitBytes, isAtStreamStart: !toleratesNoise, keepsHead: true)
    bodies = ContentLengthFramer(limitBytes: limitBytes, toleratesNoise: toleratesNoise, keepsHead: true)
  }

  /// Bounds what comes from now on.
  package mutating func keep(limitBytes: Int) {
    lines.keep(limitBytes: limitBytes)
    bodies.keep(limitBytes: limitBytes)
  }

  /// Lines that were no messages and have ended, blank ones aside.
  package var noiseCount: Int { search.noiseCount &+ bodies.noiseCount }

  package var pendingByteCount: Int { lines.pendingByteCount + bodies.pendingByteCount }

  /// What it keeps takes so much memory.
  package var heldByteCount: Int { lines.heldByteCount + bodies.heldByteCount }

  /// Bytes of a message that has begun, which will have to be checked at its end.
  package var uncheckedByteCount: Int { lines.uncheckedByteCount + bodies.uncheckedByteCount }

  /// Whether a message has begun and has not ended.
  package var isMidMessage: Bool { lines.isMidLine || bodies.isMidMessage }

  /// Whether it frames lines and holds nothing: mostly it does, and nothing more need be asked.
  @inlinable @inline(__always)
  package var isBetweenLines: Bool { framing == .lines && !lines.isMidLine }

  /// Finds the next message in the chunk's first `count` bytes, from `offset` on, which moves past it.
  @inlinable @inline(always)
  package mutating func next(in chunk: Span<UInt8>, count: Int, from offset: inout Int) -> MessageFrame {
    if case .lines = framing, !toleratesNoise,
      let line = lines.nextFast(in: chunk, count: count, from: &offset)
    {
      return .inPlace(line)
    }
    return nextOfAny(in: chunk, count: count, from: &offset)
  }

  @usableFromInline @inline(never)
  mutating func nextOfAny(
    in chunk: Span<UInt8>, count: Int, from offset: inout Int
  ) -> MessageFrame {
    switch framing {
    case .contentLength: bodies.next(in: chunk, count: count, from: &offset)
    case .lines where toleratesNoise: nextLine(in: chunk, count: count, from: &offset)
    case .lines: MessageFrame(lines.next(in: chunk, count: count, from: &offset))
    }
  }

  /// Reads on in the message that has begun, or that is assembled, once so many bytes of it have come: then not all of it
  /// has to be read at its end.
  @inline(never)
  package mutating func check(from byteCount: Int, nestingLevels: Int) {
    if framing == .contentLength {
      bodies.check(from: byteCount, nestingLevels: nestingLevels)
    } else {
      lines.check(from: byteCount, nestingLevels: nestingLevels)
    }
  }

  /// Gives the message that `next` called assembled.
  package mutating func takeAssembled() -> AssembledMessage {
    framing == .contentLength ? bodies.takeAssembled() : lines.takeAssembled()
  }

  /// Gives the beginning of the message that passed the limit: to be called whenever `next` said so.
  package mutating func takeHead() -> [UInt8] {
    framing == .contentLength ? bodies.takeHead() : lines.takeHead()
  }

  /// Takes the buffer of a message back, for the next one that spans chunks.
  package mutating func recycle(_ message: consuming AssembledMessage) {
    if framing == .contentLength { bodies.recycle(message) } else { lines.recycle(message) }
  }

  private mutating func nextLine(
    in chunk: Span<UInt8>, count: Int, from offset: inout Int
  ) -> MessageFrame {
    while offset < count {
      if !lines.isMidLine { search.skipNoise(chunk, count: count, to: &offset) }
      // The framer does not stop at the end of a line that it discards, and noise may follow.
      let lineEnd = lines.isMidLine ? chunk.firstOffset(of: UInt8(ascii: "\n"), in: offset..<count) : nil
      let frame = lines.next(in: chunk, count: lineEnd.map { $0 + 1 } ?? count, from: &offset)
      if frame != .incomplete { return MessageFrame(frame) }
    }
    return .incomplete
  }
}
