/// What keeps bytes from being a text at all.
extension TOMLFault {
  static func ofBytes(_ bytes: [UInt8]) -> TOMLFault? {
    if let offset = bytes.firstIndex(of: 0) { return TOMLFault(place(of: offset, in: bytes), "a NUL byte") }
    do {
      _ = try UTF8Span(validating: bytes.span)
      return nil
    } catch {
      return TOMLFault(place(of: error.byteOffsets.lowerBound, in: bytes), "not UTF-8")
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
