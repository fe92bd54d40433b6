import Testing
import WebSocket

@Suite struct WriterTests {
  private static let mask = WebSocketMask(bits: 0x3D21_FA37)
  private static let hello = Array("Hello".utf8)

  private static func written(_ write: (inout [UInt8]) -> Void) -> [UInt8] {
    // Something stands there before.
    var output: [UInt8] = [0xAA]
    write(&output)
    return Array(output.dropFirst())
  }

  @Test func `frames are those of the examples in RFC 6455 section 5.7`() {
    #expect(
      Self.written { WebSocketWriter.text(Self.hello.span, into: &$0) }
        == [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
    #expect(
      Self.written { WebSocketWriter.text(Self.hello.span, mask: Self.mask, into: &$0) }
        == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
    #expect(
      Self.written { WebSocketWriter.ping(Self.hello.span, into: &$0) }
        == [0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
    #expect(
      Self.written { WebSocketWriter.pong(Self.hello.span, mask: Self.mask, into: &$0) }
        == [0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
    #expect(
      Self.written { WebSocketFrameHead(textBytes: 3, isLast: false).append(to: &$0) } == [0x01, 0x03])
    #expect(
      Self.written { WebSocketFrameHead(textBytes: 2, isFirst: false).append(to: &$0) } == [0x80, 0x02])
  }

  @Test(
    arguments: [
      (0, [0x81, 0x00]), (125, [0x81, 0x7D]), (126, [0x81, 0x7E, 0x00, 0x7E]),
      (256, [0x81, 0x7E, 0x01, 0x00]),
      (65535, [0x81, 0x7E, 0xFF, 0xFF]), (65536, [0x81, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0]),
      (0x0102_0304_0506_0708, [0x81, 0x7F, 1, 2, 3, 4, 5, 6, 7, 8]),
    ] as [(Int, [UInt8])])
  func `a length is in its shortest form`(count: Int, expected: [UInt8]) {
    let head = WebSocketFrameHead(textBytes: count)
    #expect(Self.written(head.append) == expected)
    #expect(head.count == expected.count && (0..<head.count).map { head[$0] } == expected)
    let masked = WebSocketFrameHead(textBytes: count, mask: Self.mask)
    let withMaskBit = [0x81, expected[1] | 0x80] + expected[2...] + [0x37, 0xFA, 0x21, 0x3D]
    #expect(Self.written(masked.append) == withMaskBit)
    #expect((0..<masked.count).map { masked[$0] } == withMaskBit)
    #expect(masked.count <= WebSocketFrameHead.longestByteCount)
  }

  @Test(arguments: [0, 1, 125, 126, 65535, 65536])
  func `what is written is read as the same`(size: Int) {
    let bytes = (0..<size).map { UInt8(0x20 + $0 % 0x50) }
    let ping = Array(bytes.prefix(9))
    let text = String(decoding: bytes, as: UTF8.self)
    for (end, mask) in [(WebSocketEnd.server, Self.mask), (.client, nil)] {
      let output = Self.written { output in
        WebSocketWriter.text(bytes.span, mask: mask, into: &output)
        WebSocketWriter.ping(ping.span, mask: mask, into: &output)
        WebSocketWriter.close(.goingAway, reason: "é", mask: mask, into: &output)
      }
      #expect(
        Reading(output, end).events == [.text(text), .ping(ping), .close(1001, "é")])
    }
  }

  @Test func `a control frame has 125 bytes at most, and a reason whole characters`() {
    let long = [UInt8](repeating: 0x61, count: 200)
    let output = Self.written { output in
      WebSocketWriter.ping(long.span, into: &output)
      WebSocketWriter.pong(long.span, into: &output)
      WebSocketWriter.close(.tryAgainLater, reason: "a" + String(repeating: "é", count: 100), into: &output)
    }
    let reason = "a" + String(repeating: "é", count: 61)
    #expect(
      Reading(output, .client).events
        == [.ping(Array(long.prefix(125))), .pong(Array(long.prefix(125))), .close(1013, reason)])
  }

  @Test func `a close without a code has no reason`() {
    #expect(Self.written { WebSocketWriter.close(nil, reason: "a", into: &$0) } == [0x88, 0x00])
  }
}
