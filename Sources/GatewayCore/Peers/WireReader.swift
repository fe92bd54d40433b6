/// Takes apart what a `WireWriter` has put together; nothing is read beyond the end.
package struct WireReader {
  private let bytes: [UInt8]
  private var offset: Int

  package init(_ bytes: [UInt8], from offset: Int = 0) {
    self.bytes = bytes
    self.offset = offset
  }

  package var isAtEnd: Bool { restCount <= 0 }
  private var restCount: Int { bytes.count - offset }

  package mutating func read<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number? {
    let count = Number.bitWidth / 8
    guard restCount >= count else { return nil }
    var number: Number = 0
    for index in 0..<count {
      number |= Number(truncatingIfNeeded: bytes[offset + index]) << Number(8 * index)
    }
    offset += count
    return number
  }

  /// Where the next text is.
  package mutating func range() -> Range<Int>? {
    guard let count: UInt32 = read(), restCount >= Int(count) else { return nil }
    defer { offset += Int(count) }
    return offset..<offset + Int(count)
  }

  package mutating func text() -> [UInt8]? { range().map { Array(bytes[$0]) } }
  package mutating func string() -> String? { text().map { String(decoding: $0, as: UTF8.self) } }

  /// The outer nil: it cannot be read.
  package mutating func optionalText() -> [UInt8]?? {
    switch read(UInt8.self) {
    case 0: .some(nil)
    case 1: text().map { .some($0) }
    default: nil
    }
  }
}
