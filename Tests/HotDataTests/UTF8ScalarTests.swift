import Testing

@testable import HotData

@Suite struct UTF8ScalarTests {
  /// - Parameter bytes: the first of a text; what is behind them is zero.
  private func byteCount(_ bytes: [UInt8]) -> Int {
    UTF8Scalar.byteCount(of: bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) })
  }

  @Test(arguments: [
    0x80, 0xFF, 0x7FF, 0x800, 0xFFF, 0x1000, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x3FFFF, 0x40000, 0xFFFFF,
    0x100000, 0x10FFFF,
  ])
  func `at both ends of each row of the table it is as long as its encoding`(_ value: UInt32) throws {
    let scalar = try #require(Unicode.Scalar(value))
    let bytes = Array(String(Character(scalar)).utf8)
    #expect(byteCount(bytes) == bytes.count)
    // One byte less is none.
    #expect(byteCount(bytes.dropLast()) == 0)
  }

  @Test(
    arguments: [
      [0x41], [0x80, 0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC2, 0x41], [0xE0, 0x9F, 0xBF], [0xE1, 0x80, 0xC0],
      [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
      [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80], [0xFF, 0xBF, 0xBF, 0xBF],
    ] as [[UInt8]])
  func `what has a shorter form, is a surrogate or does not exist is none`(_ bytes: [UInt8]) {
    #expect(byteCount(bytes) == 0)
  }
}
