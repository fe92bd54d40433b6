/// What keeps bytes from being a text at all.
struct TextFault {
  let place: Place
  let message: String

  static func first(in bytes: [UInt8]) -> TextFault? {
    if let offset = bytes.firstIndex(of: 0) {
      return TextFault(place: place(of: offset, in: bytes), message: "a NUL byte")
    }
    do {
      _ = try UTF8Span(validating: bytes.span)
      return nil
    } catch {
      return TextFault(place: place(of: error.byteOffsets.lowerBound, in: bytes), message: "not UTF-8")
    }
  }

  private static func place(of offset: Int, in bytes: [UInt8]) -> Place {
    let before = bytes[..<offset]
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return Place(
      line: before.count { $0 == UInt8(ascii: "\n") } + 1,
      column: bytes[lineStart..<offset].count { $0 & 0xc0 != 0x80 } + 1)
  }
}
