import HotData
import JSONRPC

/// The long answer that several callers wait for, or a long piece of one: it is kept once, and each gets its own frame
/// and id around it.
struct SharedAnswer {
  /// More than one caller gets the answer at hand.
  var isForMany = false
  /// As it came, and without what could end a line.
  var exact: SharedBytes?
  var flat: SharedBytes?
}

extension Edge {
  /// The body of the answer at hand for all its callers; nil if there is only one.
  mutating func shared(
    _ body: AnswerBody, in bytes: Span<UInt8>, as framing: Framing
  ) -> SharedBytes? {
    let breaksLines = framing != .lines || body.isFreeOfLineBreaks
    if let known = breaksLines ? sharedAnswer.exact : sharedAnswer.flat { return known }
    guard sharedAnswer.exact != nil || sharedAnswer.flat != nil || sharedAnswer.isForMany else { return nil }
    let shared = SharedBytes(bytes.extracting(body.range), breaksLines: breaksLines, pool: blocks)
    if breaksLines { sharedAnswer.exact = shared } else { sharedAnswer.flat = shared }
    return shared
  }

  /// The answer at hand has been given to all of them.
  mutating func forgetSharedAnswer() { sharedAnswer = SharedAnswer() }

  /// The answer at hand is long.
  mutating func beginSharing(isForMany: Bool) { sharedAnswer = SharedAnswer(isForMany: isForMany) }
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

  /// Some of an answer that others get, too.
  static func piece(
    _ id: RequestID, _ value: SharedBytes, as framing: Framing, into output: inout OutputQueue
  ) {
    openPiece(id, valueByteCount: value.count, as: framing, into: &output)
    output.append(value)
    closePiece(as: framing, into: &output)
  }
}
