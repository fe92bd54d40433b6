import JSONRPC

/// The result or the error object of an answer, in the bytes that it came in.
struct AnswerBody {
  var range = 0..<0
  var isError = false
  /// Nothing in it could end a line.
  var isFreeOfLineBreaks = false
}

extension AnswerBody {
  @inline(__always)
  init(of envelope: Envelope) {
    isError = !envelope.error.isEmpty
    range = (isError ? envelope.error : envelope.result).range
    isFreeOfLineBreaks = envelope.isFreeOfLineBreaks
  }

  @inline(__always)
  init(of head: AnswerHead) {
    self.init(range: head.body.range, isError: head.isError, isFreeOfLineBreaks: true)
  }
}
