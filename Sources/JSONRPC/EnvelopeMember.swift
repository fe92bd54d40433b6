/// The members of an envelope that mean something; every other one is ignored.
///
/// The raw value is the name itself: its bytes, the first one lowest.
enum EnvelopeMember: UInt64 {
  case jsonrpc = 0x63_7072_6E6F_736A
  case id = 0x6469
  case method = 0x646F_6874_656D
  case params = 0x736D_6172_6170
  case task = 0x6B73_6174
  case result = 0x746C_7573_6572
  case error = 0x72_6F72_7265

  /// With every byte escaped, the longest of the names has this many.
  private static let longestEscapedNameBytes = 7 * 6

  /// `name` is a member's name without its quotes, from a text with slack.
  @inline(always)
  init?(named name: Range<Int>, in bytes: Span<UInt8>) {
    if name.count < 8 {
      self.init(plainName: name, in: bytes)
    } else {
      self.init(escapedName: name, in: bytes)
    }
  }

  @inline(always)
  private init?(plainName name: Range<Int>, in bytes: Span<UInt8>) {
    // Eight bytes from inside the text lie inside it and its slack.
    let loaded = unsafe bytes.bytes.unsafeLoadUnaligned(
      fromUncheckedByteOffset: name.lowerBound, as: UInt64.self)
    let word = UInt64(littleEndian: loaded) & (1 &<< UInt64(name.count &* 8) &- 1)
    if let member = Self(rawValue: word) {
      self = member
    } else {
      self.init(escapedName: name, in: bytes)
    }
  }

  @inline(never)
  private init?(escapedName name: Range<Int>, in bytes: Span<UInt8>) {
    guard name.count <= Self.longestEscapedNameBytes else { return nil }
    guard bytes.firstOffset(of: UInt8(ascii: "\\"), in: name) != nil else { return nil }
    var unescaped = UnescapedBytes(content: name)
    var word: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = unescaped.next(in: bytes) {
      // No name has more than seven bytes, and none holds a NUL, which would be lost in the word.
      guard shift < 56, byte != 0 else { return nil }
      word |= UInt64(byte) &<< shift
      shift &+= 8
    }
    self.init(rawValue: word)
  }
}
