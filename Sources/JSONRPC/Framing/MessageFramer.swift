/// Decides by the first byte of a stream that is no white space how it is framed, and frames it so.
@usableFromInline
package struct MessageFramer: ~Copyable {
  private static let byteOrderMark: StaticString = "\u{FEFF}"

  /// Only where the stream is framed so, because it is large.
  private var bodies: BodyFramer?
  @usableFromInline var lines: LineFramer
  /// Nil until the first byte that is no white space.
  @usableFromInline package private(set) var framing: Framing?
  /// Whether nothing has come but the beginning of a byte order mark, of so many bytes.
  private var isAtStart = true
  private var markByteCount: UInt8 = 0
  /// Where headers are not served, what looks like one is a line.
  private let knowsHeaders: Bool

  /// `limitBytes` bounds a message without its header or line end.
  /// - Parameters:
  ///   - framing: if it is known before anything has come.
  ///   - knowsHeaders: whether messages may be framed by `Content-Length`.
  package init(limitBytes: Int, framing: Framing? = nil, knowsHeaders: Bool = true) {
    lines = LineFramer(limitBytes: limitBytes, isAtStreamStart: false)
    self.framing = framing
    self.knowsHeaders = knowsHeaders
    if framing == .contentLength { bodies = BodyFramer(limitBytes: limitBytes) }
  }

  /// Bounds what comes from now on.
  package mutating func keep(limitBytes: Int) {
    lines.keep(limitBytes: limitBytes)
    bodies?.framer.keep(limitBytes: limitBytes)
  }

  package var pendingByteCount: Int { lines.pendingByteCount + (bodies?.framer.pendingByteCount ?? 0) }

  /// What it keeps takes so much memory.
  package var heldByteCount: Int { lines.heldByteCount + (bodies?.framer.heldByteCount ?? 0) }

  /// Messages over the limit whose end has come: nothing else tells of that.
  @inlinable @inline(__always)
  package var discardedCount: Int { framing == .lines ? lines.discardedCount : discardedOfAny }

  @usableFromInline @inline(never)
  var discardedOfAny: Int { lines.discardedCount &+ (bodies?.framer.discardedCount ?? 0) }

  /// Bytes of a message that has begun, which will have to be checked at its end.
  package var uncheckedByteCount: Int { lines.uncheckedByteCount + (bodies?.framer.uncheckedByteCount ?? 0) }

  /// Whether a message has begun and has not ended.
  package var isMidMessage: Bool { lines.isMidLine || bodies?.framer.isMidMessage ?? false }

  /// Whether it frames lines and holds nothing: mostly it does, and nothing more need be asked.
  @inlinable @inline(__always)
  package var isBetweenLines: Bool { framing == .lines && !lines.isMidLine }

  /// Whether a message has begun that is neither blank nor refused for its length.
  package var holdsPart: Bool { lines.holdsPart || bodies?.framer.holdsPart ?? false }

  /// Finds the next message in the chunk's first `count` bytes, from `offset` on, which moves past it.
  @inlinable @inline(always)
  package mutating func next(in chunk: Span<UInt8>, count: Int, from offset: inout Int) -> MessageFrame {
    if case .lines = framing, let line = lines.nextFast(in: chunk, count: count, from: &offset) {
      return .inPlace(line)
    }
    return nextOfAny(in: chunk, count: count, from: &offset)
  }

  @usableFromInline @inline(never)
  mutating func nextOfAny(
    in chunk: Span<UInt8>, count: Int, from offset: inout Int
  ) -> MessageFrame {
    if framing == nil { begin(chunk, count: count, from: &offset) }
    return switch framing {
    case .lines: MessageFrame(lines.next(in: chunk, count: count, from: &offset))
    case .contentLength: bodyFramer.framer.next(in: chunk, count: count, from: &offset)
    case nil: .incomplete
    }
  }

  /// Reads on in the message that has begun, or that is assembled, once so many bytes of it have come: then not all of it
  /// has to be read at its end.
  @inline(never)
  package mutating func check(from byteCount: Int, nestingLevels: Int) {
    if framing == .contentLength {
      bodyFramer.framer.check(from: byteCount, nestingLevels: nestingLevels)
    } else {
      lines.check(from: byteCount, nestingLevels: nestingLevels)
    }
  }

  /// Gives the message that `next` called assembled.
  package mutating func takeAssembled() -> AssembledMessage {
    framing == .contentLength ? bodyFramer.framer.takeAssembled() : lines.takeAssembled()
  }

  /// Takes the buffer of a message back, for the next one that spans chunks.
  package mutating func recycle(_ message: consuming AssembledMessage) {
    if framing == .contentLength { bodyFramer.framer.recycle(message) } else { lines.recycle(message) }
  }
}

extension MessageFramer {
  private mutating func begin(_ chunk: Span<UInt8>, count: Int, from offset: inout Int) {
    framing = decide(by: chunk, count: count, from: &offset)
    if framing == .contentLength { bodies = BodyFramer(limitBytes: lines.limitBytes) }
  }

  private var bodyFramer: BodyFramer {
    guard let bodies else { preconditionFailure("the stream is not framed so") }
    return bodies
  }

  /// Skips what may stand before the first message; nil when the chunk holds nothing else.
  private mutating func decide(by chunk: Span<UInt8>, count: Int, from offset: inout Int) -> Framing? {
    while offset < count {
      let byte = chunk[offset]
      if isAtStart, byte == Self.byteOrderMark.byte(at: Int(markByteCount)) {
        markByteCount += 1
        isAtStart = Int(markByteCount) < Self.byteOrderMark.utf8CodeUnitCount
      } else if isAtStart, markByteCount > 0 {
        lines.begin(with: Self.byteOrderMark, byteCount: Int(markByteCount))
        return .lines
      } else if byte.isJSONWhitespace {
        isAtStart = false
      } else {
        return knowsHeaders && byte | 0x20 == UInt8(ascii: "c") ? .contentLength : .lines
      }
      offset += 1
    }
    return nil
  }
}

/// A framer of bodies in memory of its own.
private final class BodyFramer {
  var framer: ContentLengthFramer

  init(limitBytes: Int) { framer = ContentLengthFramer(limitBytes: limitBytes) }
}

@available(*, unavailable)
extension BodyFramer: Sendable {}
