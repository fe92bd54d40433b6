/// Decides where the bodies of a byte stream lie by the headers before them; only one that spans chunks is copied.
package struct ContentLengthFramer: ~Copyable {
  private enum State {
    case header, body, head, skippedBody, broken
  }

  private var limitBytes: Int
  private var state = State.header
  private var header = HeaderReader()
  private let toleratesNoise: Bool
  /// Whether `takeHead()` gives the beginning of a body over the limit; the body is reported once that has come.
  private let keepsHead: Bool
  private var search = HeaderSearch()
  /// Bytes of the body, stored or skipped, that have not come.
  private var missingByteCount = 0
  /// Of a body over the limit so many are kept.
  private var headByteCount = 0
  /// The beginning of a body whose end has not come, or the whole of one that was not taken yet.
  private var pending: [UInt8] = []
  private var isAssembled = false
  /// Only of a long body, which is checked while it comes.
  private var check: JSONCheck?
  /// Bodies over the limit whose end has come.
  package private(set) var discardedCount = 0

  /// `limitBytes` bounds a body. With `toleratesNoise` other text may stand before a header, and none is wrong.
  package init(limitBytes: Int, toleratesNoise: Bool = false, keepsHead: Bool = false) {
    self.limitBytes = limitBytes
    self.keepsHead = keepsHead
    self.toleratesNoise = toleratesNoise
  }

  /// Bounds the bodies whose headers come from now on.
  mutating func keep(limitBytes: Int) { self.limitBytes = limitBytes }

  /// Lines of text between bodies that was no header.
  package var noiseCount: Int { search.noiseCount }

  package var pendingByteCount: Int { pending.count }

  /// What it keeps takes so much memory.
  package var heldByteCount: Int { pending.grownByteCount }

  package var isMidMessage: Bool {
    switch state {
    case .header: header.hasBegun || search.hasBegun
    case .body, .head, .skippedBody: true
    case .broken: false
    }
  }

  /// Whether a header or a body has begun that is kept.
  var holdsPart: Bool { state == .body || state == .header && isMidMessage }

  /// Finds the next body in the chunk's first `count` bytes, from `offset` on, which moves past it.
  package mutating func next(in chunk: Span<UInt8>, count: Int, from offset: inout Int) -> MessageFrame {
    precondition(!isAssembled, "the assembled message was not taken")
    while offset < count {
      switch state {
      case .header:
        if let frame = readHeader(chunk, count: count, from: &offset) { return frame }
      case .body:
        return readBody(chunk, count: count, from: &offset)
      case .head:
        return readHead(chunk, count: count, from: &offset)
      case .skippedBody:
        skipBody(count: count, from: &offset)
      case .broken:
        offset = count
      }
    }
    return .incomplete
  }

  /// Gives the body that `next` called assembled.
  package mutating func takeAssembled() -> AssembledMessage {
    precondition(isAssembled, "no message was assembled")
    defer { check = nil }
    isAssembled = false
    return AssembledMessage(taking: &pending, check)
  }

  /// Reads on in the body that has begun, or that is assembled, once so many bytes of it have come.
  package mutating func check(from byteCount: Int, nestingLevels: Int) {
    guard state == .body || isAssembled, pending.count >= byteCount || check != nil else { return }
    var check = check.take() ?? JSONCheck(nestingLevels: nestingLevels)
    check.read(pending.span, upTo: pending.count)
    self.check = check
  }

  /// Bytes of the body that has begun, which will have to be checked at its end.
  package var uncheckedByteCount: Int {
    state != .body || check?.fault != nil ? 0 : pending.count - (check?.position ?? 0)
  }

  /// Gives the beginning of the body that is over the limit: to be called whenever `next` said so, if it is kept.
  mutating func takeHead() -> [UInt8] {
    defer { pending = [] }
    return pending
  }

  /// Takes the buffer of a message back, for the next one that spans chunks.
  package mutating func recycle(_ message: consuming AssembledMessage) { message.recycle(into: &pending) }
}

extension ContentLengthFramer {
  /// Nil when there is nothing to say yet.
  private mutating func readHeader(
    _ chunk: Span<UInt8>, count: Int, from offset: inout Int
  ) -> MessageFrame? {
    let progress =
      toleratesNoise
      ? search.read(chunk, count: count, from: &offset) : header.read(chunk, count: count, from: &offset)
    switch progress {
    case .more:
      return nil
    case .wrong:
      offset = count
      state = .broken
      return .badHeader
    case .complete(let bodyByteCount):
      header = HeaderReader()
      missingByteCount = bodyByteCount
      if bodyByteCount > limitBytes {
        state = keepsHead ? .head : .skippedBody
        // Less than the body, which is over the limit.
        headByteCount = min(LineFramer.headBytes, limitBytes)
        return keepsHead ? nil : .tooLong
      }
      state = .body
      // An empty body has come already, whatever follows.
      return readBody(chunk, count: count, from: &offset)
    }
  }

  private mutating func readBody(
    _ chunk: Span<UInt8>, count: Int, from offset: inout Int
  ) -> MessageFrame {
    let part = offset..<offset + min(missingByteCount, count - offset)
    missingByteCount -= part.count
    offset = part.upperBound
    if missingByteCount == 0 { state = .header }
    if missingByteCount == 0 && pending.isEmpty { return .inPlace(part) }
    pending.append(part, of: chunk)
    isAssembled = missingByteCount == 0
    return isAssembled ? .assembled : .incomplete
  }

  private mutating func readHead(
    _ chunk: Span<UInt8>, count: Int, from offset: inout Int
  ) -> MessageFrame {
    let part = offset..<offset + min(headByteCount - pending.count, count - offset)
    missingByteCount -= part.count
    offset = part.upperBound
    pending.append(part, of: chunk)
    guard pending.count == headByteCount else { return .incomplete }
    state = .skippedBody
    skipBody(count: count, from: &offset)
    return .tooLong
  }

  private mutating func skipBody(count: Int, from offset: inout Int) {
    let skippedByteCount = min(missingByteCount, count - offset)
    missingByteCount -= skippedByteCount
    offset += skippedByteCount
    guard missingByteCount == 0 else { return }
    state = .header
    discardedCount &+= 1
  }
}
