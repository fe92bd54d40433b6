import HotData

/// Decides whether bytes are UTF-8 (table 3-7 of the Unicode standard), with the first that cannot be, however they are
/// cut.
struct UTF8Check: Equatable, Sendable {
  /// How many bytes the scalar still needs.
  private var missingCount: UInt8 = 0
  /// Between which bounds its next byte lies.
  private var lowest: UInt8 = 0x80
  private var highest: UInt8 = 0xBF

  /// The text may end here.
  var isBetweenScalars: Bool { missingCount == 0 }

  /// Returns whether the text may begin with all that was taken.
  mutating func take(_ bytes: Span<UInt8>) -> Bool {
    var offset = 0
    while offset < bytes.count {
      if isBetweenScalars {
        guard let end = Self.endOfWords(bytes, from: offset) else { return false }
        offset = end
        if offset == bytes.count { return true }
      }
      guard take(bytes[offset]) else { return false }
      offset &+= 1
    }
    return true
  }

  /// Reads whole scalars while eight bytes are there. Returns the offset behind the last; nil: something is none.
  private static func endOfWords(_ bytes: Span<UInt8>, from start: Int) -> Int? {
    var offset = start
    while offset <= bytes.count &- 8 {
      // There are eight bytes.
      let loaded = unsafe bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
      let word = UInt64(littleEndian: loaded)
      let asciiCount = (word & 0x8080_8080_8080_8080).trailingZeroBitCount &>> 3
      offset &+= asciiCount
      // With more before it, no more than its beginning may be in the word.
      if asciiCount > 4 { continue }
      let count = UTF8Scalar.byteCount(of: UInt32(truncatingIfNeeded: word &>> UInt64(asciiCount &* 8)))
      if count == 0 { return nil }
      offset &+= count
    }
    return offset
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    if isBetweenScalars { return begin(byte) }
    guard lowest <= byte && byte <= highest else { return false }
    expect(missingCount &- 1)
    return true
  }

  /// What has a shorter form, or is no scalar, is told with the second byte.
  private mutating func begin(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x00...0x7F: break
    case 0xC2...0xDF: expect(1)
    case 0xE0: expect(2, from: 0xA0)
    case 0xED: expect(2, to: 0x9F)
    case 0xE1...0xEF: expect(2)
    case 0xF0: expect(3, from: 0x90)
    case 0xF1...0xF3: expect(3)
    case 0xF4: expect(3, to: 0x8F)
    default: return false
    }
    return true
  }

  private mutating func expect(_ count: UInt8, from lowest: UInt8 = 0x80, to highest: UInt8 = 0xBF) {
    missingCount = count
    self.lowest = lowest
    self.highest = highest
  }
}
