import JSONRPC

/// A text as a read buffer holds it: bytes before it, and slack of a chosen value after it.
struct WireText {
  let bytes: [UInt8]
  let range: Range<Int>

  init(_ text: [UInt8], lead: Int = 3, slack: [UInt8] = [0]) {
    let after = (0..<JSONText.slackByteCount).map { slack[$0 % slack.count] }
    bytes = [UInt8](repeating: UInt8(ascii: "{"), count: lead) + text + after
    range = lead..<lead + text.count
  }

  init(_ text: String) { self.init(Array(text.utf8)) }

  /// The whole text as the range of a value.
  var raw: ByteRange { ByteRange(range) }

  func scan(_ limits: ScanLimits = ScanLimits()) -> Scan {
    var envelope = Envelope()
    let outcome = EnvelopeScanner.scan(bytes.span, range, limits, into: &envelope)
    return Scan(text: self, outcome: outcome, envelope: envelope)
  }

  subscript(range: ByteRange) -> String { String(decoding: bytes[range.range], as: UTF8.self) }
}

/// What the scanner said about one text.
struct Scan {
  let text: WireText
  let outcome: ScanOutcome
  let envelope: Envelope

  init(text: WireText, outcome: ScanOutcome, envelope: Envelope) {
    self.text = text
    self.outcome = outcome
    self.envelope = envelope
  }

  init(_ text: String, _ limits: ScanLimits = ScanLimits()) { self = WireText(text).scan(limits) }

  init(_ bytes: [UInt8]) { self = WireText(bytes).scan() }

  /// The text of one member of the envelope.
  func text(_ member: KeyPath<Envelope, ByteRange>) -> String { text[envelope[keyPath: member]] }

  /// Where the text turned out to be no JSON, counted from its start.
  var malformedOffset: Int? {
    switch outcome {
    case .malformed(let offset), .tooDeep(let offset): offset - text.range.lowerBound
    case .message, .batch, .invalid: nil
    }
  }

  var isMalformed: Bool { malformedOffset != nil }

  var fault: EnvelopeFault? {
    if case .invalid(let fault) = outcome { fault } else { nil }
  }
}
