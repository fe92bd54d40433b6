import WebSocket

extension WireCase {
  static let scalars = [
    "\u{0}", "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{FFF}", "\u{1000}", "\u{CFFF}", "\u{D7FF}",
    "\u{E000}", "\u{FEFF}", "\u{FFFD}", "\u{FFFE}", "\u{FFFF}", "\u{10000}", "\u{3FFFF}", "\u{40000}",
    "\u{FFFFF}", "\u{100000}", "\u{10FFFF}", "κόσμε", "Hello-µ@ßöäüàá-UTF-8!!", "漢字かな交じり文", "🏳️‍🌈",
  ]

  static let texts = scalars.flatMap { text in
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

  private static let starts = ["", "a", "1234567", "12345678", "κόσμε", "123456789abcdefghi"]

  private static let unendedTexts: [[UInt8]] = [
    [0xC2], [0xE2, 0x82], [0xF0, 0x9F, 0x8F], Array("κόσμε".utf8.dropLast()),
  ]

  static let notTexts: [WireCase] =
    badSequences.flatMap { bad in starts.flatMap { notTexts(bad, behind: $0) } }
    + unendedTexts.flatMap { notTexts(endingWith: $0) }

  private static func notTexts(_ bad: [UInt8], behind start: String) -> [WireCase] {
    let bytes = Array(start.utf8) + bad
    return [
      WireCase("\(bad) behind \(start)", [Frame(0x81, bytes, of: bytes.count + 40)], [.fault(.notText)]),
      WireCase(
        "\(bad) in a fragment behind \(start)",
        [Frame(0x81, "a"), Frame(0x01, start), Frame(0x89, ""), Frame(0x00, bad, of: bad.count + 9)],
        [.text("a"), .ping([]), .fault(.notText)]),
    ]
  }

  private static func notTexts(endingWith bytes: [UInt8]) -> [WireCase] {
    [
      WireCase("a text that ends with \(bytes)", [Frame(0x81, bytes)], [.fault(.notText)]),
      WireCase(
        "one that ends so, and then with nothing", [Frame(0x01, bytes), Frame(0x80, "")],
        [.fault(.notText)]),
    ]
  }
}
