import HotData
import JSONRPC
import TaskStore

/// The long answer that several callers wait for: it is kept once, and each gets its own frame and id around it.
struct SharedAnswer {
  /// As it came, and without what could end a line.
  var exact: SharedBytes?
  var flat: SharedBytes?
}

extension GatewayCore {
  /// The body of the answer at hand for all its callers; nil if there is only one.
  mutating func shared(
    _ body: AnswerBody, in bytes: Span<UInt8>, as framing: Framing
  ) -> SharedBytes? {
    let breaksLines = framing != .lines || body.isFreeOfLineBreaks
    if let known = breaksLines ? sharedAnswer.exact : sharedAnswer.flat { return known }
    guard sharedAnswer.exact != nil || sharedAnswer.flat != nil || hasManyCallers else { return nil }
    let shared = SharedBytes(bytes.extracting(body.range), breaksLines: breaksLines, pool: blocks)
    if breaksLines { sharedAnswer.exact = shared } else { sharedAnswer.flat = shared }
    return shared
  }

  /// Whether more than one caller gets the answer at hand.
  private var hasManyCallers: Bool {
    var (index, count): (Int32, Int) = (0, 0)
    while index < effects.count, count < 2 {
      if case .deliver = effects[index] { count += 1 }
      index &+= 1
    }
    return count > 1
  }

  /// The answer at hand has been given to all of them.
  mutating func forgetSharedAnswer() { sharedAnswer = SharedAnswer() }
}

extension MessageWriter {
  /// The answer with a result or an error object that others send, too.
  static func answer(
    _ id: RequestID, isError: Bool, _ body: SharedBytes, as framing: Framing, into output: inout OutputQueue
  ) {
    openFrame(
      as: framing, byteCount: answerByteCount(id, isError: isError, bodyByteCount: body.count), into: &output)
    openAnswer(id, isError: isError, into: &output)
    output.append(body)
    output.append("}")
    closeFrame(as: framing, into: &output)
  }
}
