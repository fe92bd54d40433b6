import WebSocket

/// Lengths, control frames, first bytes and fragments.
extension WireCase {
  static let sizes = [0, 1, 125, 126, 127, 128, 65535, 65536].flatMap { size in
    let text = String(repeating: "*", count: size)
    let half = Array(text.utf8.prefix(size / 2))
    let otherHalf = Array(text.utf8.dropFirst(size / 2))
    return [
      WireCase("a text of \(size) bytes", [Frame(0x81, text)], [.text(text)]),
      WireCase(
        "the same in two", [Frame(0x01, half), Frame(0x80, otherHalf), Frame(0x81, "")],
        [.text(text), .text("")]),
    ]
  }

  static let lengths = [
    WireCase(
      "two bytes for 125", [Frame(first: 0x81, lengthCode: 126, lengthBytes: [0, 125])],
      [.fault(.lengthNotShortest)]),
    WireCase(
      "two bytes for 0", [Frame(first: 0x81, lengthCode: 126, lengthBytes: [0, 0])],
      [.fault(.lengthNotShortest)]),
    WireCase(
      "eight bytes for 65535",
      [Frame(first: 0x81, lengthCode: 127, lengthBytes: [0, 0, 0, 0, 0, 0, 0xFF, 0xFF])],
      [.fault(.lengthNotShortest)]),
    WireCase(
      "eight bytes for 5",
      [Frame(first: 0x81, lengthCode: 127, lengthBytes: [0, 0, 0, 0, 0, 0, 0, 5])],
      [.fault(.lengthNotShortest)]),
    WireCase(
      "the highest bit", [Frame(first: 0x81, lengthCode: 127, lengthBytes: [0x80])],
      [.fault(.lengthOutOfRange)]),
    WireCase(
      "the largest there is",
      [Frame(first: 0x81, lengthCode: 127, lengthBytes: [0x7F] + [UInt8](repeating: 0xFF, count: 7))],
      [.fault(.tooLarge)]),
    WireCase(
      "more than the limit",
      [Frame(0x81, "a"), Frame(first: 0x81, lengthCode: 127, lengthBytes: [0, 0, 0, 0, 0, 0x10, 0, 1])],
      [.text("a"), .fault(.tooLarge)]),
    WireCase(
      "more than the limit, in fragments",
      [Frame(0x01, "a"), Frame(first: 0x80, lengthCode: 127, lengthBytes: [0, 0, 0, 0, 0, 0x10, 0, 0])],
      [.fault(.tooLarge)]),
  ]

  private static let controlContents: [[UInt8]] = [
    [], Array("Hello".utf8), [0x00, 0xFF, 0xFE, 0xFD, 0xFC, 0xFB, 0x00, 0xFF],
    [UInt8](repeating: 0xFE, count: 125),
  ]

  static let pings: [WireCase] =
    controlContents.flatMap { content -> [WireCase] in
      [
        WireCase("a ping of \(content.count) bytes", [Frame(0x89, content)], [.ping(content)]),
        WireCase(
          "a pong of \(content.count) bytes", [Frame(0x8A, content), Frame(0x81, "a")],
          [.pong(content), .text("a")]),
      ]
    } + [
      WireCase("ten pings", (0..<10).map { Frame(0x89, [$0]) }, (0..<10).map { .ping([$0]) }),
      WireCase("a ping of 126 bytes", [Frame(first: 0x89, lengthCode: 126)], [.fault(.longControl)]),
      WireCase("a pong of 65536 bytes", [Frame(first: 0x8A, lengthCode: 127)], [.fault(.longControl)]),
    ]

  /// Whatever stands before them.
  static let reserved: [WireCase] = (0...255 as ClosedRange<UInt8>).flatMap { first -> [WireCase] in
    guard let fault = fault(first: first) else { return [] }
    return [
      WireCase("\(first) first", [Frame(first: first)], [.fault(fault)]),
      WireCase(
        "\(first) behind others", [Frame(0x81, "Hello"), Frame(0x89, ""), Frame(first: first)],
        [.text("Hello"), .ping([]), .fault(fault)]),
    ]
  }

  /// What is wrong with a frame that begins with this byte, between messages; nil: nothing.
  private static func fault(first: UInt8) -> WebSocketFault? {
    if first & 0x70 != 0 { return .reservedBits }
    switch first & 0x0F {
    case 0: return .continuationOfNothing
    case 1: return nil
    case 2: return .binary
    case 8...10: return first & 0x80 == 0 ? .fragmentedControl : nil
    default: return .unknownOpcode
    }
  }

  static let fragments = [
    WireCase("two", [Frame(0x01, "fragment1"), Frame(0x80, "fragment2")], [.text("fragment1fragment2")]),
    WireCase(
      "a ping between", [Frame(0x01, "a"), Frame(0x89, "ping"), Frame(0x80, "b")],
      [.ping(Array("ping".utf8)), .text("ab")]),
    WireCase(
      "several between",
      [
        Frame(0x01, "a"), Frame(0x89, "1"), Frame(0x00, "b"), Frame(0x8A, "2"), Frame(0x89, ""),
        Frame(0x80, "c"), Frame(0x81, "d"),
      ], [.ping([0x31]), .pong([0x32]), .ping([]), .text("abc"), .text("d")]),
    WireCase("nothing in three", [Frame(0x01, ""), Frame(0x00, ""), Frame(0x80, "")], [.text("")]),
    WireCase("something in the middle", [Frame(0x01, ""), Frame(0x00, "m"), Frame(0x80, "")], [.text("m")]),
    WireCase(
      "byte by byte",
      "Hello".utf8.map { Frame($0 == UInt8(ascii: "H") ? 0x01 : 0x00, [$0]) } + [Frame(0x80, "")],
      [.text("Hello")]),
    WireCase(
      "a message within one", [Frame(0x01, "a"), Frame(first: 0x81)], [.fault(.messageWithinMessage)]),
    WireCase(
      "one that begins within one", [Frame(0x01, ""), Frame(first: 0x01)],
      [.fault(.messageWithinMessage)]),
    WireCase("binary within one", [Frame(0x01, "a"), Frame(first: 0x82)], [.fault(.messageWithinMessage)]),
    WireCase(
      "it goes on behind its end",
      [Frame(0x01, "a"), Frame(0x80, "b"), Frame(first: 0x80)],
      [.text("ab"), .fault(.continuationOfNothing)]),
    WireCase(
      "a fragmented ping within one", [Frame(0x01, "a"), Frame(first: 0x09)],
      [.fault(.fragmentedControl)]),
    WireCase("a close within one", [Frame(0x01, "a"), Frame(0x88, [0x03, 0xE8])], [.close(1000, "")]),
  ]
}
