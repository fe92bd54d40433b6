import Testing
import WebSocket

/// Bytes are combined with the mask eight and sixteen at a time: that must be the same as one by one.
@Suite struct MaskTests {
  private static let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
  private static let source = (0..<100).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }

  @Test(arguments: 0...70)
  func `so many bytes are masked as one by one, wherever they lie`(count: Int) {
    for start in 0...16 {
      for phase in 0..<4 {
        var mask = WebSocketMask(bits: 0x3D21_FA37)
        var output: [UInt8] = []
        // What was masked before turns the mask.
        mask.append(0..<phase, of: Self.source.span, to: &output)
        let isASCII = mask.append(start..<start + count, of: Self.source.span, to: &output)
        let expected = (0..<count).map { Self.source[start + $0] ^ Self.mask[($0 + phase) % 4] }
        #expect(Array(output[phase...]) == expected)
        #expect(isASCII == expected.allSatisfy { $0 < 0x80 })
        // It goes on behind them.
        mask.append(0..<5, of: Self.source.span, to: &output)
        let next = (0..<5).map { Self.source[$0] ^ Self.mask[($0 + phase + count) % 4] }
        #expect(Array(output[(phase + count)...]) == next)
      }
    }
  }

  @Test(arguments: 1...70)
  func `one byte beyond ASCII is seen wherever it is`(count: Int) {
    for place in 0..<count {
      var bytes = [UInt8](repeating: 0x61, count: count)
      var (mask, output): (WebSocketMask, [UInt8]) = (.none, [])
      #expect(mask.append(0..<count, of: bytes.span, to: &output))
      bytes[place] = 0x80
      #expect(!mask.append(0..<count, of: bytes.span, to: &output))
      #expect(Array(output[count...]) == bytes)
    }
  }
}
