/// One frame as it comes: its head, byte by byte, and how much of it is still to come (RFC 6455 section 5.2).
struct WebSocketFrame: Sendable {
  static let controlLimitBytes: UInt8 = 125

  /// Which byte of the head is next.
  private enum Part: Equatable {
    case first
    case second
    case length(byteCount: UInt8, leftBytes: UInt8)
    case mask(leftBytes: UInt8)
    case end
  }

  /// How many of its bytes are still to come.
  var leftBytes: UInt64 = 0
  /// For the next of its bytes.
  var mask = WebSocketMask.none
  private var part = Part.first
  private(set) var opcode = WebSocketOpcode.continuation
  private(set) var isLast = false

  var hasHead: Bool { part == .end }

  /// - Parameters:
  ///   - reader: which end reads.
  ///   - isInMessage: a message was begun that has not ended.
  ///   - roomBytes: how much more of that may come.
  /// - Throws: the fault, at the first byte that shows it.
  mutating func take(
    _ byte: UInt8, _ reader: WebSocketEnd, isInMessage: Bool, roomBytes: UInt64
  ) throws(WebSocketFault) {
    switch part {
    case .first:
      try takeFirst(byte, isInMessage: isInMessage)
      part = .second
    case .second:
      let count = try takeSecond(byte, reader)
      if count > 0 {
        part = .length(byteCount: count, leftBytes: count)
      } else {
        try endLength(reader, roomBytes: roomBytes)
      }
    case .length(let count, let left):
      try takeLength(byte, byteCount: count, leftBytes: left)
      if left > 1 {
        part = .length(byteCount: count, leftBytes: left &- 1)
      } else {
        try endLength(reader, roomBytes: roomBytes)
      }
    case .mask(let left):
      mask.shiftIn(byte)
      part = left > 1 ? .mask(leftBytes: left &- 1) : .end
    case .end: break
    }
  }

  /// Takes a head as nearly all are at once: of a text in one frame, masked, and of fewer than 64 KiB.
  ///
  /// Returns how many bytes that is; 0: it is another, or not here as a whole, and is to be taken byte by byte.
  mutating func takeFast(
    in bytes: Span<UInt8>, _ count: Int, from offset: Int, _ reader: WebSocketEnd, isInMessage: Bool,
    roomBytes: UInt64
  ) -> Int {
    guard part == .first && reader == .server && !isInMessage && offset <= count &- 8 && count <= bytes.count
    else { return 0 }
    precondition(offset >= 0, "the offset lies outside")
    // There are eight bytes.
    let loaded = unsafe bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
    let word = UInt64(littleEndian: loaded)
    guard word & 0x80FF == 0x8081 else { return 0 }
    var (length, headBytes) = (word &>> 8 & 0x7F, 6)
    if length > Self.controlLimitBytes {
      guard length == 126 else { return 0 }
      length = UInt64(UInt16(truncatingIfNeeded: word &>> 16).byteSwapped)
      guard length > Self.controlLimitBytes else { return 0 }
      headBytes = 8
    }
    guard length <= roomBytes else { return 0 }
    leftBytes = length
    mask = WebSocketMask(bits: UInt32(truncatingIfNeeded: word &>> (headBytes == 8 ? 32 : 16)))
    opcode = .text
    isLast = true
    part = .end
    return headBytes
  }

  private mutating func takeFirst(_ byte: UInt8, isInMessage: Bool) throws(WebSocketFault) {
    guard byte & 0x70 == 0 else { throw .reservedBits }
    guard let opcode = WebSocketOpcode(rawValue: byte & 0x0F) else { throw .unknownOpcode }
    self.opcode = opcode
    isLast = byte & 0x80 != 0
    switch opcode {
    case .continuation: guard isInMessage else { throw .continuationOfNothing }
    case .text: guard !isInMessage else { throw .messageWithinMessage }
    case .binary: throw isInMessage ? .messageWithinMessage : .binary
    case .close, .ping, .pong: guard isLast else { throw .fragmentedControl }
    }
  }

  /// Returns how many bytes the length has besides.
  private mutating func takeSecond(_ byte: UInt8, _ reader: WebSocketEnd) throws(WebSocketFault) -> UInt8 {
    let isMasked = byte & 0x80 != 0
    guard isMasked == (reader == .server) else { throw isMasked ? .masked : .notMasked }
    let length = byte & 0x7F
    guard length <= Self.controlLimitBytes || !opcode.isControl else { throw .longControl }
    switch length {
    case 126: return 2
    case 127: return 8
    default:
      leftBytes = UInt64(length)
      return 0
    }
  }

  private mutating func takeLength(
    _ byte: UInt8, byteCount: UInt8, leftBytes left: UInt8
  ) throws(WebSocketFault) {
    guard left < 8 || byte & 0x80 == 0 else { throw .lengthOutOfRange }
    leftBytes = leftBytes &<< 8 | UInt64(byte)
    let longestShorter: UInt64 = byteCount == 2 ? 125 : 0xFFFF
    guard left > 1 || leftBytes > longestShorter else { throw .lengthNotShortest }
  }

  private mutating func endLength(_ reader: WebSocketEnd, roomBytes: UInt64) throws(WebSocketFault) {
    guard opcode.isControl || leftBytes <= roomBytes else { throw .tooLarge }
    part = reader == .server ? .mask(leftBytes: 4) : .end
  }
}
