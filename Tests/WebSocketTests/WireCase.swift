import WebSocket

/// Frames, and what a reader has to make of them. Those with a fault end with the first byte that tells.
struct WireCase: CustomStringConvertible {
  let description: String
  let frames: [Frame]
  let events: [Reading.Event]

  init(_ name: String, _ frames: [Frame], _ events: [Reading.Event]) {
    description = name
    self.frames = frames
    self.events = events
  }

  static let all =
    sizes + pings + reserved + fragments + texts + notTexts + closes + wrongCloses + lengths

  // MARK: Sizes

  private static let sizes = [0, 1, 125, 126, 127, 128, 65535, 65536].flatMap { size in
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

  private static let lengths = [
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

  // MARK: Control frames

  private static let pings: [WireCase] =
    [
      [], Array("Hello".utf8), [0x00, 0xFF, 0xFE, 0xFD, 0xFC, 0xFB, 0x00, 0xFF],
      [UInt8](repeating: 0xFE, count: 125),
    ].flatMap { content in
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
  private static let reserved: [WireCase] = (0...255 as ClosedRange<UInt8>).flatMap { first -> [WireCase] in
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

  // MARK: Fragments

  private static let fragments = [
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

  // MARK: UTF-8

  private static let scalars = [
    "\u{0}", "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{FFF}", "\u{1000}", "\u{CFFF}", "\u{D7FF}",
    "\u{E000}", "\u{FEFF}", "\u{FFFD}", "\u{FFFE}", "\u{FFFF}", "\u{10000}", "\u{3FFFF}", "\u{40000}",
    "\u{FFFFF}", "\u{100000}", "\u{10FFFF}", "κόσμε", "Hello-µ@ßöäüàá-UTF-8!!", "漢字かな交じり文", "🏳️‍🌈",
  ]

  private static let texts = scalars.flatMap { text in
    let bytes = Array(text.utf8)
    return [WireCase("the text \(text.unicodeScalars)", [Frame(0x81, bytes)], [.text(text)])]
      + (0...bytes.count).map { cut in
        WireCase(
          "the same with a ping before its byte \(cut)",
          [Frame(0x01, Array(bytes[..<cut])), Frame(0x89, ""), Frame(0x80, Array(bytes[cut...]))],
          [.ping([]), .text(text)])
      }
  }

  /// The last byte of each is the first that tells.
  static let badSequences: [[UInt8]] = [
    [0x80], [0xBF], [0xC0], [0xC1], [0xF5], [0xF7], [0xF8], [0xFB], [0xFC], [0xFD], [0xFE], [0xFF],
    [0xC2, 0x7F], [0xC2, 0xC0], [0xDF, 0x00], [0xE0, 0x80], [0xE0, 0x9F], [0xE1, 0x7F], [0xEC, 0xC0],
    [0xED, 0xA0], [0xED, 0xBF], [0xEF, 0x28], [0xE2, 0x82, 0x28], [0xE2, 0x82, 0xC0], [0xF0, 0x80],
    [0xF0, 0x8F], [0xF1, 0x7F], [0xF3, 0xC0], [0xF4, 0x90], [0xF4, 0xBF], [0xF1, 0x80, 0x28],
    [0xF1, 0x80, 0x80, 0x28], [0xF1, 0x80, 0x80, 0xC0], [0xC3, 0xA9, 0x80], [0xE2, 0x82, 0xAC, 0xBF],
    [0xF0, 0x90, 0x80, 0x80, 0x80],
  ]

  private static let notTexts =
    badSequences.flatMap { bad in
      ["", "a", "1234567", "12345678", "κόσμε", "123456789abcdefghi"].flatMap { start in
        let bytes = Array(start.utf8) + bad
        return [
          WireCase("\(bad) behind \(start)", [Frame(0x81, bytes, of: bytes.count + 40)], [.fault(.notText)]),
          WireCase(
            "\(bad) in a fragment behind \(start)",
            [Frame(0x81, "a"), Frame(0x01, start), Frame(0x89, ""), Frame(0x00, bad, of: bad.count + 9)],
            [.text("a"), .ping([]), .fault(.notText)]),
        ]
      }
    }
    + [[0xC2], [0xE2, 0x82], [0xF0, 0x9F, 0x8F], Array("κόσμε".utf8.dropLast())].flatMap { bytes in
      [
        WireCase("a text that ends with \(bytes)", [Frame(0x81, bytes)], [.fault(.notText)]),
        WireCase(
          "one that ends so, and then with nothing", [Frame(0x01, bytes), Frame(0x80, "")],
          [.fault(.notText)]),
      ]
    }

  // MARK: Close

  private static let closes =
    [
      WireCase("without a code", [Frame(0x88, "")], [.close(nil, "")]),
      WireCase(
        "with a reason", [Frame(0x88, [0x03, 0xE8] + Array("Bye: κόσμε".utf8))],
        [.close(1000, "Bye: κόσμε")]),
      WireCase(
        "with the longest reason",
        [Frame(0x88, [0x03, 0xE9] + [UInt8](repeating: 0x2A, count: 123))],
        [.close(1001, String(repeating: "*", count: 123))]),
      WireCase(
        "what follows is not read",
        [Frame(0x81, "a"), Frame(0x88, [0x03, 0xE8]), Frame(0x89, ""), Frame(0x88, ""), Frame(0xFF, "b")],
        [.text("a"), .close(1000, "")]),
    ]
    + ([1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999]
    as [UInt16]).map { code in
      WireCase("with \(code)", [Frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)])], [.close(code, "")])
    }

  private static let wrongCloses =
    ([0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535] as [UInt16]).map { code in
      WireCase(
        "with \(code)", [Frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)])], [.fault(.closeCode)])
    } + [
      WireCase("half a code", [Frame(0x88, [0x03])], [.fault(.closeOfOneByte)]),
      WireCase("a close of 126 bytes", [Frame(first: 0x88, lengthCode: 126)], [.fault(.longControl)]),
      WireCase("a close that goes on", [Frame(first: 0x08)], [.fault(.fragmentedControl)]),
    ]
    + badSequences.map { bad in
      WireCase("the reason \(bad)", [Frame(0x88, [0x03, 0xE8] + bad)], [.fault(.closeReason)])
    }
    + [
      WireCase(
        "half a scalar as the reason", [Frame(0x88, [0x03, 0xE8, 0xE2, 0x82])], [.fault(.closeReason)])
    ]
}
