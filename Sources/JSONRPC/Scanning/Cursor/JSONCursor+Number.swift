/// Skipping numbers as RFC 8259 spells them: no leading zero, no plus sign, digits around the point.
extension JSONCursor {
  @inline(always)
  mutating func skipNumber(in bytes: Span<UInt8>) -> Bool {
    let count = ByteWord(at: position, in: bytes).shortIntegerDigitCount
    if count > 0, count <= end &- position {
      position &+= count
      return true
    }
    // A copy makes the call, so that this cursor can stay in registers.
    var ahead = self
    defer { position = ahead.position }
    return ahead.skipAnyNumber(in: bytes)
  }

  @inline(never)
  private mutating func skipAnyNumber(in bytes: Span<UInt8>) -> Bool {
    _ = take("-", in: bytes)
    if !take("0", in: bytes) {
      guard skipDigits(in: bytes) else { return false }
    }
    if take(".", in: bytes) {
      guard skipDigits(in: bytes) else { return false }
    }
    if peek(in: bytes) | 0x20 == UInt8(ascii: "e") {
      position &+= 1
      _ = take("+", in: bytes) || take("-", in: bytes)
      guard skipDigits(in: bytes) else { return false }
    }
    return true
  }

  private mutating func take(_ character: Unicode.Scalar, in bytes: Span<UInt8>) -> Bool {
    guard peek(in: bytes) == UInt8(ascii: character) else { return false }
    position &+= 1
    return true
  }

  private mutating func skipDigits(in bytes: Span<UInt8>) -> Bool {
    let start = position
    while peek(in: bytes) &- UInt8(ascii: "0") < 10 { position &+= 1 }
    return position > start
  }
}

extension ByteWord {
  /// The number of digits of the whole number here; 0 if there is none, or one longer than nearly all are.
  @inline(always)
  var shortIntegerDigitCount: Int {
    let count = digitCount
    guard count &- 1 < Self.byteCount &- 1, count > 0 else { return 0 }
    let after = byte(at: count)
    if after == UInt8(ascii: ".") || after | 0x20 == UInt8(ascii: "e") { return 0 }
    return byte(at: 0) != UInt8(ascii: "0") || count == 1 ? count : 0
  }
}
