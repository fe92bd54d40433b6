import JSONRPC
import Testing

/// All that is read in a text on the slow path.
struct SlowPathReading: Equatable {
  /// What means something to a scanner in some places, and is wrong in others.
  static let telling = Array("\"}{][,:0 1.e-\n\\k".utf8) + [0x1F, 0x80, 0xBF, 0xC3, 0xE2, 0xED, 0xF4]

  private let malformedOffset: Int?
  private let fault: EnvelopeFault?
  private let members: [Range<Int>?]
  private let flags: [Bool]

  /// Expects the text to be read as with a tab after its first bracket, where nothing is fast, and to be judged as by
  /// the check that reads byte by byte.
  static func expectSame(_ text: [UInt8], slack: [UInt8]) {
    let scan = WireText(text, slack: slack).scan()
    let fast = SlowPathReading(scan, lead: 0)
    let other = SlowPathReading(
      WireText([text[0], UInt8(ascii: "\t")] + text.dropFirst(), slack: slack).scan(), lead: 1)
    // Asked for only then, because an expectation is far slower than a comparison.
    if fast != other { Issue.record("\(String(decoding: text, as: UTF8.self)): \(fast), not \(other)") }
    var check = JSONCheck(nestingLevels: WireLimits.nestingLevels)
    check.read(text.span, upTo: text.count)
    let verdict = check.verdict(in: text.span)
    let expected = scan.malformedOffset.map { JSONCheck.Verdict.malformed(offset: $0) } ?? .json
    if verdict != expected {
      Issue.record("\(String(decoding: text, as: UTF8.self)): \(expected), not \(verdict)")
    }
  }

  private init(_ scan: Scan, lead: Int) {
    malformedOffset = scan.malformedOffset.map { max(1, $0 - lead) }
    fault = scan.fault
    let (envelope, task) = (scan.envelope, scan.envelope.fastTask)
    let ranges = [
      envelope.version, envelope.id, envelope.method, envelope.params, envelope.task, envelope.result,
      envelope.error, task.key, task.policy, task.timeout,
    ]
    members = ranges.map { $0.isEmpty ? nil : $0.range.lowerBound - lead..<$0.range.upperBound - lead }
    flags = [
      scan.outcome == .batch, envelope.isNotification, envelope.isBadResponse, envelope.methodHasEscapes,
      envelope.isFreeOfLineBreaks,
    ]
  }
}
