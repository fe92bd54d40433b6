import Testing

@testable import HotData

@Suite struct ShortCopyTests {
  @Test func `every byte of a piece is copied, and none beside it`() {
    let source = (0..<200).map { UInt8($0 + 1) }
    for count in 0...150 {
      var target = [UInt8](repeating: 0, count: 200)
      target.withUnsafeMutableBytes { target in
        source.withUnsafeBytes {
          (target.baseAddress! + 7).copyShort(from: $0.baseAddress! + 3, byteCount: count)
        }
      }
      let expected = [UInt8](repeating: 0, count: 7) + source[3..<3 + count]
      #expect(target == expected + [UInt8](repeating: 0, count: 193 - count))
    }
  }

  @Test func `places are counted round a table`() {
    var table = ProbeTable(count: 8)
    table[9] = 5
    let (once, again) = (table[1], table[17])
    let (distance, back) = (table.distance(from: 6, to: 9), table.distance(from: 1, to: 0))
    #expect(once == 5 && again == 5)
    #expect(distance == 3 && back == 7)
  }
}
