import JSONRPC

/// What must hold of whatever message comes where the Model Context Protocol is spoken: what is found in it stands in it, and
/// what is put in the place of a subscription's name, or of a token, is read there again while all else stays.
struct MCPCheck {
  private static let name = Array(#""n\"\u0000 \ud83d\ude00""#.utf8)
  private let message: [UInt8]

  init(_ input: [UInt8]) { message = input }

  func run() throws(Violation) {
    let padded = JSONText.padded(message)
    guard let envelope = Self.scan(padded, message.count) else { return }
    let bytes = padded.span
    try checkTexts(envelope, bytes)
    // Of a request that is called like a notification nothing is ever replaced.
    guard envelope.isNotification else { return }
    for find in Self.finders {
      let place = find(envelope, bytes)
      if !place.isEmpty { try checkReplacing(place, of: envelope, bytes, find) }
    }
  }

  /// What names a request in a notification.
  private static let finders: [@Sendable (Envelope, Span<UInt8>) -> ByteRange] = [
    { MCPReader.subscriptionID(in: $0, $1) }, { MCPReader.reportedToken(in: $0, $1) },
    { MCPReader.cancelledID(in: $0, $1) },
  ]

  private func checkTexts(_ envelope: Envelope, _ bytes: Span<UInt8>) throws(Violation) {
    let token = MCPReader.progressToken(of: envelope, in: bytes)
    try require(token.isEmpty || lies(token, in: envelope.params), "a token stands elsewhere")
    let texts = [
      MCPReader.revision(of: envelope, in: bytes), MCPReader.name(in: envelope, bytes),
      MCPReader.agreedRevision(envelope, in: bytes), MCPReader.text(envelope.method, in: bytes),
    ]
    for text in texts.compactMap(\.self) {
      try require(text.utf8.count <= message.count, "a text is longer than what it stands in")
    }
  }

  private func checkReplacing(
    _ place: ByteRange, of envelope: Envelope, _ bytes: Span<UInt8>,
    _ find: (Envelope, Span<UInt8>) -> ByteRange
  ) throws(Violation) {
    try require(lies(place, in: envelope.params), "what names a request stands elsewhere")
    let other = MessageWriter.notification(envelope, in: bytes, replacing: place, by: Self.name.span)
    let padded = JSONText.padded(other)
    guard let again = Self.scan(padded, other.count), again.isNotification else {
      throw Violation(description: "what was rewritten is no notification")
    }
    let found = find(again, padded.span)
    try require(padded[found.range].elementsEqual(Self.name), "what was put there is not read there")
    let old = Array(message[place.range])
    let back = MessageWriter.notification(again, in: padded.span, replacing: found, by: old.span)
    var plain: [UInt8] = []
    MessageWriter.relay(
      RequestID(), bytes, method: envelope.method.range, params: envelope.params.range, as: .contentLength,
      into: &plain)
    try require(plain.suffix(back.count).elementsEqual(back), "something else has changed")
  }

  private func lies(_ place: ByteRange, in whole: ByteRange) -> Bool {
    whole.range.lowerBound <= place.range.lowerBound && place.range.upperBound <= whole.range.upperBound
  }

  private static func scan(_ padded: [UInt8], _ count: Int) -> Envelope? {
    var envelope = Envelope()
    let limits = ScanLimits(nestingLevels: JSONText.depthLimit)
    guard case .message = EnvelopeScanner.scan(padded.span, 0..<count, limits, into: &envelope) else {
      return nil
    }
    return envelope
  }
}
