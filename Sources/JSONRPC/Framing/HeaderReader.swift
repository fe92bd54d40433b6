import HTTP1

/// Decides whether the header block before a body is right, byte by byte, and keeps nothing of it but the length.
///
/// Fields are as HTTP spells them (RFC 9112 section 5), without line folding.
struct HeaderReader {
  enum Progress: Hashable {
    case more
    /// The block has ended, and a body of so many bytes follows.
    case complete(bodyByteCount: Int)
    case wrong
  }

  private enum Place {
    case lineStart, name, value
    case beforeDigits, digits, afterDigits
    /// After the CR of a field.
    case lineEnd
    /// After the CR of the empty line.
    case blockEnd
    case complete
  }

  private static let lengthName: StaticString = "content-length"

  private var place = Place.lineStart
  private var byteCount = 0
  private var nameByteCount = 0
  private var isLengthName = true
  private var bodyByteCount: Int?

  var hasBegun: Bool { byteCount > 0 }

  /// A block that began with the length's name and its colon.
  static var afterLengthName: HeaderReader {
    var header = HeaderReader()
    header.place = .beforeDigits
    header.byteCount = lengthName.utf8CodeUnitCount + 1
    return header
  }

  /// Whether a block that is wrong is so because a second length's name has ended.
  var isAtSecondLength: Bool { place == .beforeDigits && bodyByteCount != nil }

  /// Reads on to the end of the block or of the chunk's first `count` bytes.
  mutating func read(_ chunk: Span<UInt8>, count: Int, from offset: inout Int) -> Progress {
    if !hasBegun, let bodyByteCount = Self.readFastBlock(chunk, count: count, from: &offset) {
      return .complete(bodyByteCount: bodyByteCount)
    }
    while offset < count {
      byteCount += 1
      guard byteCount <= WireLimits.headerBytes, take(chunk[offset]) else { return .wrong }
      offset += 1
      guard place == .complete else { continue }
      guard let bodyByteCount else { return .wrong }
      return .complete(bodyByteCount: bodyByteCount)
    }
    return .more
  }

  /// False when nothing right can begin like this.
  private mutating func take(_ byte: UInt8) -> Bool {
    switch place {
    case .lineStart: takeAtLineStart(byte)
    case .name: takeInName(byte)
    case .value: takeInValue(byte)
    case .beforeDigits: byte.isBlank || takeDigit(byte)
    case .digits: takeDigit(byte) || takeAfterDigits(byte)
    case .afterDigits: takeAfterDigits(byte)
    case .lineEnd: take(byte, "\n", to: .lineStart)
    case .blockEnd: take(byte, "\n", to: .complete)
    case .complete: false
    }
  }

  private mutating func take(_ byte: UInt8, _ character: Unicode.Scalar, to next: Place) -> Bool {
    guard byte == UInt8(ascii: character) else { return false }
    place = next
    return true
  }

  private mutating func takeAtLineStart(_ byte: UInt8) -> Bool {
    if take(byte, "\r", to: .blockEnd) { return true }
    place = .name
    nameByteCount = 0
    isLengthName = true
    return takeInName(byte)
  }

  private mutating func takeInName(_ byte: UInt8) -> Bool {
    if byte == UInt8(ascii: ":") { return endName() }
    // The bit that makes letters small changes no other byte into one of the name's.
    let isNext =
      nameByteCount < Self.lengthName.utf8CodeUnitCount
      && byte | 0x20 == Self.lengthName.byte(at: nameByteCount)
    isLengthName = isLengthName && isNext
    nameByteCount += 1
    return byte.isTokenCharacter
  }

  /// A second length is wrong even when it says the same.
  private mutating func endName() -> Bool {
    let isLength = isLengthName && nameByteCount == Self.lengthName.utf8CodeUnitCount
    place = isLength ? .beforeDigits : .value
    return nameByteCount > 0 && !(isLength && bodyByteCount != nil)
  }

  private mutating func takeInValue(_ byte: UInt8) -> Bool {
    take(byte, "\r", to: .lineEnd) || byte.isBlank || (byte > 0x20 && byte != 0x7F)
  }

  private mutating func takeDigit(_ byte: UInt8) -> Bool {
    let digit = byte &- UInt8(ascii: "0")
    guard digit < 10 else { return false }
    let (shifted, shiftOverflows) = (bodyByteCount ?? 0).multipliedReportingOverflow(by: 10)
    let (sum, sumOverflows) = shifted.addingReportingOverflow(Int(digit))
    bodyByteCount = sum
    place = .digits
    return !shiftOverflows && !sumOverflows
  }

  private mutating func takeAfterDigits(_ byte: UInt8) -> Bool {
    if take(byte, "\r", to: .lineEnd) { return true }
    place = .afterDigits
    return byte.isBlank
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}
