/// Gives the UTF-8 bytes of a valid string one after the other, its escapes resolved.
///
/// A lone surrogate comes out as the three bytes that UTF-8 forbids, so that it equals nothing but itself.
struct UnescapedBytes {
  private var cursor: JSONCursor
  /// The bytes of an escaped scalar that are still to come, the next one lowest. None of them is NUL.
  private var rest: UInt32 = 0
  private(set) var hasLoneSurrogate = false

  /// `content` is a string without its quotes.
  init(content: Range<Int>) { cursor = JSONCursor(content) }

  /// `raw` is a string with its quotes.
  init(_ raw: ByteRange) { self.init(content: raw.withoutQuotes.range) }

  mutating func next(in bytes: Span<UInt8>) -> UInt8? {
    if rest != 0 {
      defer { rest &>>= 8 }
      return UInt8(truncatingIfNeeded: rest)
    }
    guard cursor.position < cursor.end else { return nil }
    precondition(cursor.end <= bytes.count, "the string lies in another span")
    defer { cursor.position += 1 }
    let byte = cursor.peek(in: bytes)
    return byte == UInt8(ascii: "\\") ? escaped(in: bytes) : byte
  }

  /// Leaves the cursor at the escape's last byte.
  private mutating func escaped(in bytes: Span<UInt8>) -> UInt8 {
    cursor.position += 1
    let letter = cursor.peek(in: bytes)
    switch letter {
    case UInt8(ascii: "b"): return 0x08
    case UInt8(ascii: "f"): return 0x0C
    case UInt8(ascii: "n"): return 0x0A
    case UInt8(ascii: "r"): return 0x0D
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "u"): return encode(scalar(in: bytes))
    default: return letter
    }
  }

  /// Reads the digits after `\u`, and the second half of a pair when it follows.
  private mutating func scalar(in bytes: Span<UInt8>) -> UInt32 {
    let unit = codeUnit(at: 1, in: bytes)
    cursor.position += 4
    guard 0xD800...0xDFFF ~= unit else { return unit }
    let isEscapeNext =
      cursor.peek(1, in: bytes) == UInt8(ascii: "\\") && cursor.peek(2, in: bytes) == UInt8(ascii: "u")
    let second = isEscapeNext ? codeUnit(at: 3, in: bytes) : 0
    guard unit < 0xDC00, 0xDC00...0xDFFF ~= second else {
      hasLoneSurrogate = true
      return unit
    }
    cursor.position += 6
    return 0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00)
  }

  private func codeUnit(at offset: Int, in bytes: Span<UInt8>) -> UInt32 {
    var unit: UInt32 = 0
    for digit in offset..<offset + 4 {
      unit = unit << 4 | UInt32(cursor.peek(digit, in: bytes).hexDigitValue ?? 0)
    }
    return unit
  }

  /// The first byte of the scalar's UTF-8; the others become `rest`.
  private mutating func encode(_ scalar: UInt32) -> UInt8 {
    let continuation = { (shift: UInt32) in 0x80 | (scalar >> shift & 0x3F) }
    switch scalar {
    case ..<0x80:
      return UInt8(scalar)
    case ..<0x800:
      rest = continuation(0)
      return UInt8(0xC0 | scalar >> 6)
    case ..<0x10000:
      rest = continuation(6) | continuation(0) << 8
      return UInt8(0xE0 | scalar >> 12)
    default:
      rest = continuation(12) | continuation(6) << 8 | continuation(0) << 16
      return UInt8(0xF0 | scalar >> 18)
    }
  }
}
