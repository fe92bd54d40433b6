import FoundationEssentials
import JSONRPC

/// Checks that a handler's result, piece or error data is JSON and fits into an answer. The gateway could not read a
/// bad one, and would end its connection to all handlers.
struct AnswerText: Sendable {
  /// Room in an answer for all but its result, or but its error's data: the id, the code and the longest message.
  static let envelopeBytes = 32 * 1024
  static let null = Array("null".utf8)

  enum Fault: Error {
    case notJSON
    case tooLarge
  }

  private let limitBytes: Int

  init(messageBytes: Int) { limitBytes = messageBytes - Self.envelopeBytes }

  /// Sorts the members of objects by name, so that the same value always gives the same text.
  static func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(value))
  }

  /// Returns the text if it is JSON and short enough.
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
    // The answer around the text is one more level.
    let limits = ScanLimits(nestingLevels: WireLimits.nestingLevels - 1)
    guard EnvelopeScanner.scan(bytes, text, limits, into: &envelope).isJSON else { return false }
    return true
  }
}
