import GatewayCore
import JSONRPC
import TaskStore

/// Whether a message in an exchange is its answer.
enum ExchangeMessage {
  /// The answer, or a message that the core has to judge as one.
  case answer
  /// A message before the answer, one that has nothing to do with this exchange, or noise.
  case other
  case noJSON

  /// - Parameters:
  ///   - task: the task of the exchange; nil: it has none, and no message is its answer.
  ///   - toleratesNoise: what is no JSON may come before the answer, unless it shows by its id that it is that.
  init(_ bytes: Span<UInt8>, _ message: Range<Int>, of task: TaskID?, toleratesNoise: Bool = false) {
    var envelope = Envelope()
    // The core checks the nesting.
    let limits = ScanLimits(nestingLevels: JSONText.depthLimit)
    let outcome = EnvelopeScanner.scan(bytes, message, limits, into: &envelope)
    let isAnswer = task.map { Exchange.isAnswer(envelope, to: $0, in: bytes) } ?? false
    switch outcome {
    case .malformed, .tooDeep:
      self = toleratesNoise && !Self.isBrokenAnswer(bytes, message, to: task) ? .other : .noJSON
    case .message where envelope.isResponse && isAnswer, .invalid where isAnswer: self = .answer
    case .message, .batch, .invalid: self = .other
    }
  }

  /// Whether what is no JSON names the exchange's request before what is wrong with it.
  private static func isBrokenAnswer(
    _ bytes: Span<UInt8>, _ message: Range<Int>, to task: TaskID?
  ) -> Bool {
    guard let task, let refused = RefusedMessage(of: message, in: bytes), !refused.asks else { return false }
    return JSONNumber.nonNegativeInteger(refused.id, in: bytes) == task.rawValue
  }
}
