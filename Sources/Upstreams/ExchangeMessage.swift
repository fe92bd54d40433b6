import GatewayCore
import JSONRPC
import TaskStore

/// Whether a message in an exchange is its answer.
enum ExchangeMessage {
  /// The answer, or a message that the core has to judge as one.
  case answer
  /// A message before the answer, or one that has nothing to do with this exchange.
  case other
  case noJSON

  /// - Parameter task: the task of the exchange; nil: it has none, and no message is its answer.
  init(_ bytes: Span<UInt8>, _ message: Range<Int>, of task: TaskID?) {
    var envelope = Envelope()
    // The core checks the nesting.
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
