import JSONRPC

/// A text as the gateway holds it: bytes before it, and the slack behind it, filled with one byte.
struct PaddedText {
  static let lead = 3

  let bytes: [UInt8]
  let range: Range<Int>

  init(_ text: [UInt8], slack: UInt8 = 0) {
    bytes =
      [UInt8](repeating: 0x7B, count: Self.lead) + text
      + [UInt8](repeating: slack, count: JSONText.slackByteCount)
    range = Self.lead..<Self.lead + text.count
  }

  subscript(_ range: ByteRange) -> [UInt8] { Array(bytes[range.range]) }

  func scan(into envelope: inout Envelope) -> ScanOutcome {
    EnvelopeScanner.scan(bytes.span, range, into: &envelope)
  }

  func scan() -> ScanOutcome {
    var envelope = Envelope()
    return scan(into: &envelope)
  }

  static func isJSON(_ text: [UInt8]) -> Bool {
    PaddedText(text).scan().isJSON
  }
}

extension Envelope {
  var members: [ByteRange] { [id, method, params, task, result, error] }
}
