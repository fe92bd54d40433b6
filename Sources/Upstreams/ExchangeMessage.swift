import GatewayCore
import JSONRPC
import TaskStore

/// The kind of a message in an exchange, as far as the exchange depends on it.
enum ExchangeMessage {
  /// The answer, or a message that the core has to judge as one.
  case answer
  /// A message before the answer, or one that is none of ours.
  case other
  case noJSON

  /// - Parameter task: whose exchange it is; nil: it has none, and nothing is its answer.
  init(_ bytes: Span<UInt8>, _ message: Range<Int>, of task: TaskID?) {
    var envelope = Envelope()
    // How deep it may be nested is for the core to judge.
    let limits = ScanLimits(nestingLevels: JSONText.depthLimit)
    let outcome = EnvelopeScanner.scan(bytes, message, limits, into: &envelope)
    let isAnswer = task.map { Exchange.isAnswer(envelope, to: $0, in: bytes) } ?? false
    switch outcome {
    case .malformed, .tooDeep: self = .noJSON
    case .message where envelope.isResponse && isAnswer, .invalid where isAnswer: self = .answer
    case .message, .batch, .invalid: self = .other
    }
  }
}
