/// Decides whether the text between two messages is worth counting: blanks are not, and neither is the field that
/// may stand in a header before the length.
struct NoiseLine {
  private static let typeName: StaticString = "content-type:"

  private var visibleByteCount = 0
  /// So many bytes of the type's name the line begins with.
  private var typeByteCount = 0

  var isEmpty: Bool { visibleByteCount == 0 }

  var isNoise: Bool { !isEmpty && typeByteCount < Self.typeName.utf8CodeUnitCount }

  mutating func append(_ byte: UInt8) {
    if byte.isJSONWhitespace { return }
    let isType =
      typeByteCount == visibleByteCount && typeByteCount < Self.typeName.utf8CodeUnitCount
      && byte.smallLetter == Self.typeName.byte(at: typeByteCount)
    if isType { typeByteCount += 1 }
    visibleByteCount += 1
  }

  /// The last so many visible bytes were none of it.
  mutating func removeLast(_ byteCount: Int) { visibleByteCount -= byteCount }

  mutating func becomeNoise() {
    visibleByteCount += 1
    typeByteCount = 0
  }
}

extension UInt8 {
  var smallLetter: UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
  }
}
