import FuzzTargets
import JSONOracle
import JSONRPC

/// What the scanner says of a text must be what another JSON library says, and so must be the text's parts.
///
/// Aside: numbers that are too large for the library, lone surrogates, and nesting near the limit.
struct OracleCheck {
  private let input: [UInt8]
  private let padded: [UInt8]

  init(_ input: [UInt8]) {
    self.input = input
    padded = input + [UInt8](repeating: 0x20, count: max(JSONText.slackByteCount, json_oracle_padding))
  }

  func run() throws(Violation) {
    if input.count(where: { $0 == 0x5B || $0 == 0x7B }) >= JSONText.depthLimit { return }
    let verdict = json_oracle_judge(padded, input.count)
    switch verdict {
    case JSONVerdictNumber where mayBeLargeNumber: return
    case JSONVerdictString where mayBeSurrogate: return
    default: break
    }
    let isAccepted = verdict == JSONVerdictAccepted
    try require(isAccepted == isScanned, "the scanner and the library disagree: \(isScanned), \(verdict)")
    if isAccepted { try checkChildren() }
  }

  private var isScanned: Bool {
    var envelope = Envelope()
    return EnvelopeScanner.scan(padded.span, 0..<input.count, into: &envelope).isJSON
  }

  private var mayBeLargeNumber: Bool {
    var digits = 0
    for byte in input {
      digits = (0x30...0x39).contains(byte) ? digits + 1 : 0
      if digits > 18 || byte | 0x20 == 0x65 { return true }
    }
    return false
  }

  private var mayBeSurrogate: Bool {
    zip(input, input.dropFirst()).contains { $0 == 0x75 && $1 | 0x20 == 0x64 }
  }

  private func checkChildren() throws(Violation) {
    var children = [JSONChild](repeating: JSONChild(), count: input.count)
    let count = json_oracle_children(padded, input.count, &children, children.count)
    try require(count >= 0, "the library cannot read what it has accepted")
    let own = ownChildren()
    try require(own.count == count, "the scanner and the library count differently")
    for (one, other) in zip(own, children) {
      try require(
        one.name == other.name && one.start == other.start && one.end == other.end, "a part differs")
    }
  }

  private func ownChildren() -> [JSONChild] {
    var children: [JSONChild] = []
    var elements = ArrayReader(0..<input.count)
    while let element = elements.next(in: padded.span) {
      let range = element.value.range
      children.append(JSONChild(name: 0, start: range.lowerBound, end: range.upperBound))
    }
    guard let start = input.firstIndex(of: 0x7B), let end = input.lastIndex(of: 0x7D), children.isEmpty,
      input[..<start].allSatisfy({ $0 <= 0x20 })
    else { return children }
    var members = ObjectReader(ByteRange(start..<end + 1))
    while let member = members.next(in: padded.span) {
      let range = member.value.range
      children.append(
        JSONChild(name: member.name.range.lowerBound, start: range.lowerBound, end: range.upperBound))
    }
    return children
  }
}
