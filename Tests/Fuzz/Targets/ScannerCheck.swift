import JSONRPC

/// What must hold of one text and of the parts that the scanner found in it.
struct ScannerCheck {
  private let input: [UInt8]
  private let text: PaddedText
  private let outcome: ScanOutcome
  private let envelope: Envelope

  init(_ input: [UInt8]) {
    self.input = input
    text = PaddedText(input)
    var envelope = Envelope()
    outcome = text.scan(into: &envelope)
    self.envelope = envelope
  }

  func run() throws(Violation) {
    for slack in [0x22, 0x5D, 0x7D, 0x30, 0x2C, 0x80] as [UInt8] { try checkSlack(slack) }
    guard outcome.isJSON else { return }
    try checkKnown()
    try checkHead()
    try checkMembers()
    try checkAsElement()
    try checkAsLine()
    try checkReaders()
    try checkMCP()
  }

  private func checkSlack(_ slack: UInt8) throws(Violation) {
    var other = Envelope()
    let otherOutcome = PaddedText(input, slack: slack).scan(into: &other)
    try require(
      otherOutcome == outcome && other.members == envelope.members,
      "what follows the text changes it: \(slack)")
  }

  /// Without being checked again, it says the same.
  private func checkKnown() throws(Violation) {
    var other = Envelope()
    let otherOutcome = EnvelopeScanner.scanKnown(text.bytes.span, text.range, ScanLimits(), into: &other)
    try require(
      otherOutcome == outcome && other.members == envelope.members, "known to be JSON, it is another text")
  }

  private func checkMembers() throws(Violation) {
    for member in envelope.members where !member.isEmpty {
      try require(
        member.range.lowerBound > text.range.lowerBound && member.range.upperBound < text.range.upperBound,
        "a member lies outside")
      let value = text[member]
      try require(PaddedText.isJSON(value), "a member is no JSON")
      try require(!value[0].isWhite && !value[value.count - 1].isWhite, "a member begins or ends blank")
    }
    guard !envelope.id.isEmpty else { return }
    let id = RequestID(envelope.id, in: text.bytes.span)
    try require(id.matches(envelope.id, in: text.bytes.span), "an id is not its own")
  }

  /// A valid answer that is read only up to its body is the same answer.
  private func checkHead() throws(Violation) {
    guard outcome == .message, envelope.isResponse,
      let head = AnswerHead(of: text.range, in: text.bytes.span)
    else { return }
    let body = envelope.error.isEmpty ? envelope.result : envelope.error
    try require(head.id == envelope.id, "a head has another id")
    try require(head.isError == !envelope.error.isEmpty, "a head takes an error for a result")
    try require(head.body.lower <= body.lower && body.upper <= head.body.upper, "a head has another body")
    let before = text.bytes[Int(head.body.lower)..<Int(body.lower)]
    try require(before.allSatisfy(\.isWhite), "a head's body begins before it")
  }

  /// Alone in an array, the text is the one element, without the white space around it.
  private func checkAsElement() throws(Violation) {
    let array = PaddedText([0x5B] + input + [0x5D])
    // Nearly too deep by itself.
    if input.count(where: { $0 == 0x5B || $0 == 0x7B }) >= WireLimits.nestingLevels { return }
    try require(array.scan() == .batch, "in an array it is no element")
    var reader = ArrayReader(array.range)
    let element = reader.next(in: array.bytes.span)
    let trimmed = input.drop(while: \.isWhite).reversed().drop(while: \.isWhite).reversed()
    try require(element.map { array[$0.value] } == Array(trimmed), "an element is not what was put in")
    try require(reader.next(in: array.bytes.span) == nil, "one element is two")
  }

  /// Without its line breaks, the text says the same.
  private func checkAsLine() throws(Violation) {
    var line: [UInt8] = []
    line.appendAsLine(text.bytes.span, text.range)
    try require(!line.contains(0x0A) && !line.contains(0x0D), "a line has a line break")
    var other = Envelope()
    let otherOutcome = PaddedText(line).scan(into: &other)
    try require(otherOutcome == outcome && other.members == envelope.members, "as a line it is another text")
  }

  /// What the Model Context Protocol says more lies in the text, whatever that is.
  private func checkMCP() throws(Violation) {
    guard case .message = outcome else { return }
    let bytes = text.bytes.span
    let found = [
      MCPReader.progressToken(of: envelope, in: bytes), MCPReader.reportedToken(in: envelope, bytes),
      MCPReader.cancelledID(in: envelope, bytes),
    ]
    for value in found where !value.isEmpty {
      try require(PaddedText.isJSON(text[value]), "a value of a member is no JSON")
    }
    _ = (MCPReader.revision(of: envelope, in: bytes), MCPReader.agreedRevision(envelope, in: bytes))
    _ = MCPReader.name(in: envelope, bytes)
  }

  private func checkReaders() throws(Violation) {
    let value = envelope.params.isEmpty ? ByteRange(text.range) : envelope.params
    var members = ObjectReader(value)
    var seen: Set<[UInt8]> = []
    while let member = members.next(in: text.bytes.span) {
      try require(PaddedText.isJSON(text[member.value]), "a member's value is no JSON")
      guard text.bytes[value.range.lowerBound] == 0x7B else { continue }
      var name: [UInt8] = []
      let quoted = ByteRange(member.name.range.lowerBound - 1..<member.name.range.upperBound + 1)
      let isText = JSONString.unescape(quoted, in: text.bytes.span, into: &name)
      if isText, seen.insert(name).inserted { try checkPointer(to: name, member.value, in: value) }
    }
  }

  private func checkPointer(
    to name: [UInt8], _ expected: ByteRange, in value: ByteRange
  ) throws(Violation) {
    let token = String(decoding: name, as: UTF8.self).unicodeScalars.map { scalar in
      switch scalar {
      case "~": "~0"
      case "/": "~1"
      default: String(scalar)
      }
    }
    let pointer = try? JSONPointer("/" + token.joined())
    let found = pointer?.find(in: value, of: text.bytes.span)
    try require(found == expected, "a pointer finds something else")
  }
}

extension UInt8 {
  fileprivate var isWhite: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}
