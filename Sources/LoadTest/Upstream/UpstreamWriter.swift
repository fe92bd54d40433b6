import JSONRPC

/// Writes the messages of the bundled upstream.
enum UpstreamWriter {
  /// The result of a request, with what the oracle needs to know; `newest` is nil when there is no key.
  static func result(of job: UpstreamJob, newest: UInt64?, into output: inout [UInt8]) {
    open(job.id, into: &output)
    output.append(",\"result\":")
    claim(job, newest, into: &output)
    output.append("}}\n")
  }

  /// The next piece of its answer.
  static func piece(of job: UpstreamJob, newest: UInt64?, into output: inout [UInt8]) {
    output.append(MessageWriter.beforePieceID)
    output.append(decimal: job.id)
    output.append(MessageWriter.beforePieceValue)
    claim(job, newest, into: &output)
    output.append(",\"i\":")
    output.append(decimal: UInt64(job.givenPieces))
    if job.question.pieces.paddingBytes > 0 {
      output.append(",\"pad\":\"")
      output.append(contentsOf: repeatElement(UInt8(ascii: "x"), count: job.question.pieces.paddingBytes))
      output.append("\"")
    }
    output.append("}")
    output.append(MessageWriter.behindPiece)
    output.append("\n")
  }

  /// The beginning of an object: the request that it answers, and the arrivals that were known then.
  private static func claim(_ job: UpstreamJob, _ newest: UInt64?, into output: inout [UInt8]) {
    output.append("{\"n\":")
    output.append(decimal: job.question.number)
    guard let newest else { return }
    output.append(",\"arrival\":")
    output.append(decimal: job.arrival)
    output.append(",\"newest\":")
    output.append(decimal: newest)
  }

  static func cancelled(_ job: UpstreamJob, into output: inout [UInt8]) {
    open(job.id, into: &output)
    output.append(",\"error\":{\"code\":-32800,\"message\":\"cancelled\"}}\n")
  }

  static func fenced(_ id: UInt64, into output: inout [UInt8]) {
    open(id, into: &output)
    output.append(
      ",\"error\":{\"code\":1,\"message\":\"fenced: a later owner of its key was here before it\"}}\n")
  }

  static func work(_ ledger: RunLedger, _ id: UInt64, into output: inout [UInt8]) {
    open(id, into: &output)
    output.append(",\"result\":{\"requests\":")
    output.append(decimal: ledger.work.requests)
    output.append(",\"computed\":")
    output.append(decimal: ledger.work.computed)
    output.append(",\"cancelled\":")
    output.append(decimal: ledger.work.cancelled)
    output.append(",\"fenced\":")
    output.append(decimal: ledger.work.fenced)
    output.append(",\"busyNanoseconds\":")
    output.append(decimal: ledger.work.busyNanoseconds)
    output.append(",\"running\":")
    output.append(decimal: UInt64(clamping: ledger.runningCount))
    output.append("}}\n")
  }

  static func nothing(_ id: UInt64, into output: inout [UInt8]) {
    open(id, into: &output)
    output.append(",\"result\":null}\n")
  }

  /// The numbers of each, in turn.
  static func cancels(_ cancels: ArraySlice<HeardCancel>, into output: inout [UInt8]) {
    output.append("{\"jsonrpc\":\"2.0\",\"method\":\"load.cancels\",\"params\":[")
    for (index, cancel) in cancels.enumerated() {
      if index > 0 { output.append(",") }
      output.append(decimal: cancel.number)
      output.append(",")
      output.append(decimal: cancel.nanoseconds)
      output.append(",")
      output.append(decimal: cancel.overtakenNanoseconds)
    }
    output.append("]}\n")
  }

  private static func open(_ id: UInt64, into output: inout [UInt8]) {
    output.append("{\"jsonrpc\":\"2.0\",\"id\":")
    output.append(decimal: id)
  }
}
