import FoundationEssentials
import JSONRPC

/// Decides what handlers give can be part of an answer: what the gateway could not read would end its conversation
/// with all of them.
struct AnswerText: Sendable {
  /// What surrounds a result, or an error's data: the id, the code, and the message at its longest.
  static let envelopeBytes = 32 * 1024
  static let null = Array("null".utf8)

  enum Fault: Error {
    case notJSON
    case tooLarge
  }

  private let limitBytes: Int

  init(messageBytes: Int) { limitBytes = messageBytes - Self.envelopeBytes }

  /// Members stand in the order of their names: the same value is always the same text.
  static func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(value))
  }

  /// The text, if it can be part of an answer.
  func checked(_ text: consuming [UInt8]) throws(Fault) -> [UInt8] {
    let count = text.count
    guard count <= limitBytes else { throw .tooLarge }
    text.append(contentsOf: repeatElement(0, count: JSONText.slackByteCount))
    guard Self.isJSON(text.span, 0..<count) else { throw .notJSON }
    text.removeLast(JSONText.slackByteCount)
    return text
  }

  private static func isJSON(_ bytes: Span<UInt8>, _ text: Range<Int>) -> Bool {
    var envelope = Envelope()
    // It stands one level deep in its answer.
    let limits = ScanLimits(nestingLevels: WireLimits.nestingLevels - 1)
    guard EnvelopeScanner.scan(bytes, text, limits, into: &envelope).isJSON else { return false }
    return true
  }
}
