extension JSONCursor {
  /// Skips a number as RFC 8259 spells it: no leading zero, no plus sign, digits around the point.
  @inline(always)
  mutating func skipNumber(in bytes: Span<UInt8>) -> Bool {
    _ = skip("-", in: bytes)
    if !skip("0", in: bytes) {
      guard skipDigits(in: bytes) else { return false }
    }
    if skip(".", in: bytes) {
      guard skipDigits(in: bytes) else { return false }
    }
    if peek(in: bytes) | 0x20 == UInt8(ascii: "e") {
      position &+= 1
      _ = skip("+", in: bytes) || skip("-", in: bytes)
      guard skipDigits(in: bytes) else { return false }
    }
    return true
  }

  @inline(always)
  private mutating func skipDigits(in bytes: Span<UInt8>) -> Bool {
    let start = position
    while peek(in: bytes) &- UInt8(ascii: "0") < 10 { position &+= 1 }
    return position > start
  }
}
