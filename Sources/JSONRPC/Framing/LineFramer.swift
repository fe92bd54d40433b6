/// Decides where the lines of a byte stream begin and end; only a line that spans chunks is copied.
@usableFromInline
package struct LineFramer: ~Copyable {
  package enum Frame: Hashable, Sendable {
    /// All of the chunk was taken; what comes next is in the next one.
    case incomplete
    /// A line, in the chunk, without its line end.
    case inPlace(Range<Int>)
    /// A line that began in an earlier chunk: `takeAssembled()` gives it.
    case assembled
    /// A line passed the limit. It is said once; the rest of the line is discarded.
    case tooLong
  }

  private static let byteOrderMarkByteCount = 3

  // There is a framer for each connection: every field is as small as it can be.

  /// The beginning of a line whose end has not come, or the whole of one that was not taken yet.
  @usableFromInline var pending: [UInt8] = []
  /// Only of a long line, which is checked while it comes.
  private var check: PartCheck?
  @usableFromInline private(set) var limit: UInt32
  /// Lines that passed the limit and whose end has come, twice over, and 1 if their beginning is kept.
  @usableFromInline var discarded: UInt32
  @usableFromInline var isAssembled = false
  @usableFromInline var isDiscarding = false
  /// Whether a byte order mark may come.
  @usableFromInline var isFirstLine: Bool

  /// So much is kept of the beginning of a message that passed the limit, or as much as the limit allows.
  static let headBytes = 4_096

  /// `limitBytes` bounds a line without its line end.
  package init(limitBytes: Int, isAtStreamStart: Bool = true, keepsHead: Bool = false) {
    limit = UInt32(clamping: limitBytes)
    discarded = keepsHead ? 1 : 0
    isFirstLine = isAtStreamStart
  }

  /// What a longer line is refused for.
  @inlinable var limitBytes: Int { Int(limit) }

  /// Bounds what comes from now on, a line that has begun included.
  mutating func keep(limitBytes: Int) { limit = UInt32(clamping: limitBytes) }

  /// Lines over the limit whose end has come; it begins anew after 2³¹ of them.
  @inlinable package var discardedCount: Int { Int(discarded / 2) }
  /// Whether `takeHead()` gives the beginning of a line that passed the limit.
  private var keepsHead: Bool { discarded % 2 > 0 }
  private var headBytes: Int { min(Self.headBytes, limitBytes) }

  package var pendingByteCount: Int { pending.count }

  /// What it keeps takes so much memory.
  package var heldByteCount: Int { pending.grownByteCount }

  @inlinable package var isMidLine: Bool { isDiscarding || !pending.isEmpty }

  /// Whether a line has begun that is kept, and is not blank so far.
  var holdsPart: Bool { !isDiscarding && !isBlank(0..<pending.count, in: pending.span) }

  /// Finds the next line in the chunk's first `count` bytes, from `offset` on, which moves past it. Blank
  /// lines are skipped, and so is a byte order mark at the very start of the stream.
  package mutating func next(in chunk: Span<UInt8>, count: Int, from offset: inout Int) -> Frame {
    precondition(!isAssembled, "the assembled line was not taken")
    while offset < count {
      let start = offset
      guard let lineEnd = chunk.firstOffset(of: UInt8(ascii: "\n"), in: start..<count) else {
        offset = count
        return keep(start..<count, of: chunk)
      }
      offset = lineEnd + 1
      if let frame = finishLine(start..<lineEnd, of: chunk) { return frame }
    }
    return .incomplete
  }

  /// The next line if it is as nearly all are: whole in the chunk, neither long nor blank, and with nothing to strip off.
  /// Any other one is for `next`, and `offset` stays where it is.
  @inlinable @inline(always)
  mutating func nextFast(
    in chunk: Span<UInt8>, count: Int, from offset: inout Int
  ) -> Range<Int>? {
    let start = offset
    guard start < count, !isFirstLine, !isDiscarding, !isAssembled, pending.isEmpty,
      let end = chunk.firstOffset(of: UInt8(ascii: "\n"), in: unsafe Range(uncheckedBounds: (start, count)))
    else { return nil }
    // An empty line ends where it begins: with a byte that is not above a blank.
    guard chunk[start] > UInt8(ascii: " "), end &- start <= limitBytes,
      chunk[end &- 1] != UInt8(ascii: "\r")
    else { return nil }
    offset = end &+ 1
    return unsafe Range(uncheckedBounds: (start, end))
  }

  /// Gives the line that `next` called assembled.
  package mutating func takeAssembled() -> AssembledMessage {
    precondition(isAssembled, "no line was assembled")
    defer { check = nil }
    isAssembled = false
    return AssembledMessage(taking: &pending, check?.check)
  }

  /// Reads on in the line that has begun, or that is assembled, once so many bytes of it have come.
  package mutating func check(from byteCount: Int, nestingLevels: Int) {
    let isLong = pending.count >= max(byteCount, Self.byteOrderMarkByteCount)
    guard !isDiscarding, isLong || check != nil else { return }
    let check = check ?? PartCheck(JSONCheck(nestingLevels: nestingLevels))
    // A CR at the end of a part may belong to the line end, which an assembled line has lost.
    let content = isAssembled ? pending.indices : content(of: pending.indices, in: pending.span)
    check.check.read(pending.span, upTo: content.upperBound)
    self.check = check
  }

  /// Bytes of the line that has begun, which will have to be checked at its end.
  package var uncheckedByteCount: Int {
    isDiscarding || check?.check.fault != nil ? 0 : pending.count - (check?.check.position ?? 0)
  }

  /// Gives the beginning of the line that passed the limit: to be called whenever `next` said so, if it is kept.
  mutating func takeHead() -> [UInt8] {
    defer { pending = [] }
    return pending
  }

  /// Takes the buffer of a line back, for the next line that spans chunks.
  package mutating func recycle(_ line: consuming AssembledMessage) { line.recycle(into: &pending) }

  /// Takes the first bytes of `text`, which come before all chunks and end no line.
  mutating func begin(with text: StaticString, byteCount: Int) {
    for offset in 0..<byteCount { pending.append(text.byte(at: offset)) }
  }
}

extension LineFramer {
  /// Keeps the beginning of a line for later, unless the line is too long already.
  private mutating func keep(_ part: Range<Int>, of chunk: Span<UInt8>) -> Frame {
    if isDiscarding { return .incomplete }
    append(part, of: chunk)
    // A CR at the end is not counted yet: it may belong to the line end.
    guard content(of: 0..<pending.count, in: pending.span).count > limitBytes else { return .incomplete }
    pending = keepsHead ? Array(pending.prefix(headBytes)) : []
    check = nil
    isDiscarding = true
    return .tooLong
  }

  /// Ends a line whose last bytes are `part`; nil when there is nothing to say about it.
  private mutating func finishLine(_ part: Range<Int>, of chunk: Span<UInt8>) -> Frame? {
    defer { isFirstLine = false }
    if isDiscarding {
      isDiscarding = false
      discarded &+= 2
      return nil
    }
    return pending.isEmpty ? finishInPlace(part, of: chunk) : finishAssembled(part, of: chunk)
  }

  private mutating func finishInPlace(_ part: Range<Int>, of chunk: Span<UInt8>) -> Frame? {
    let line = content(of: part, in: chunk)
    if line.count > limitBytes {
      if keepsHead { pending.append(line.prefix(headBytes), of: chunk) }
      return .tooLong
    }
    return isBlank(line, in: chunk) ? nil : .inPlace(line)
  }

  private mutating func finishAssembled(_ part: Range<Int>, of chunk: Span<UInt8>) -> Frame? {
    append(part, of: chunk)
    if pending.last == UInt8(ascii: "\r") { pending.removeLast() }
    if pending.count > limitBytes {
      pending = keepsHead ? Array(pending.prefix(headBytes)) : []
      check = nil
      return .tooLong
    }
    if isBlank(pending.indices, in: pending.span) {
      check = nil
      pending.removeAll(keepingCapacity: pending.capacity <= AssembledMessage.recycledCapacityLimitBytes)
      return nil
    }
    isAssembled = true
    return .assembled
  }

  /// Adds to the beginning of a line, and takes the byte order mark off it that may open the stream.
  private mutating func append(_ part: Range<Int>, of chunk: Span<UInt8>) {
    pending.append(part, of: chunk)
    guard isFirstLine, pending.count >= Self.byteOrderMarkByteCount else { return }
    isFirstLine = false
    if pending.span.holds("\u{FEFF}", in: 0..<Self.byteOrderMarkByteCount) {
      pending.removeFirst(Self.byteOrderMarkByteCount)
    }
  }

  /// The line without the CR of its line end and without the byte order mark that may open the stream.
  private func content(of line: Range<Int>, in bytes: Span<UInt8>) -> Range<Int> {
    var content = line
    if !content.isEmpty, bytes[content.upperBound - 1] == UInt8(ascii: "\r") { content = content.dropLast() }
    let markEnd = line.lowerBound + Self.byteOrderMarkByteCount
    guard isFirstLine, markEnd <= content.upperBound else { return content }
    let isMarked = bytes.holds("\u{FEFF}", in: line.lowerBound..<markEnd)
    return isMarked ? markEnd..<content.upperBound : content
  }

  private func isBlank(_ line: Range<Int>, in bytes: Span<UInt8>) -> Bool {
    for index in line {
      let byte = bytes[index]
      guard byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r") else {
        return false
      }
    }
    return true
  }
}

/// A check in memory of its own, because it is large.
private final class PartCheck {
  var check: JSONCheck

  init(_ check: JSONCheck) { self.check = check }
}

@available(*, unavailable)
extension PartCheck: Sendable {}
