import JSONRPC
import TaskStore

/// What somebody says in an exchange, as far as it matters for how that goes on.
enum ExchangeMessage {
  /// The answer, or what the core has to judge as one.
  case answer
  /// What is said before it, or is none of ours.
  case other
  case noJSON

  /// - Parameter task: whose exchange it is; nil: it has none, and nothing is its answer.
  init(_ bytes: Span<UInt8>, _ message: Range<Int>, of task: TaskID?) {
    var envelope = Envelope()
    // How deep it may be nested is for the core to judge.
    let limits = ScanLimits(nestingLevels: JSONText.depthLimit)
    switch EnvelopeScanner.scan(bytes, message, limits, into: &envelope) {
    case .malformed, .tooDeep: self = .noJSON
    case .message where envelope.isResponse && Self.isAnswer(envelope, to: task, in: bytes),
      .invalid where Self.isAnswer(envelope, to: task, in: bytes):
      self = .answer
    case .message, .batch, .invalid: self = .other
    }
  }

  /// An error without an id is from someone who could not read the request, and there is only this one.
  private static func isAnswer(_ envelope: Envelope, to task: TaskID?, in bytes: Span<UInt8>) -> Bool {
    guard let task else { return false }
    if JSONNumber.nonNegativeInteger(envelope.id, in: bytes) == task.rawValue { return true }
    return !envelope.error.isEmpty && bytes.holds("null", in: envelope.id.range)
  }
}
