package import Client
package import JSONRPC
import LibUV

/// The bundled upstream's handling of messages.
extension LoadUpstream: ClientConnectionDelegate {
  package func connection(
    _ connection: ClientConnection, received envelope: Envelope, in bytes: Span<UInt8>, message: Range<Int>
  ) {
    if envelope.method.isEmpty { return }
    if JSONString.equals(envelope.method, in: bytes, "$/cancelRequest") {
      return idOfCancel(envelope.params, in: bytes).map { cancelled($0, on: connection) } ?? ()
    }
    guard !envelope.isNotification else { return }
    let question = UpstreamQuestion(envelope.params, in: bytes)
    guard let id = JSONNumber.nonNegativeInteger(envelope.id, in: bytes) else {
      MessageWriter.error(RequestID(envelope.id, in: bytes), .invalidRequest, into: &connection.output)
      return connection.sendSoon()
    }
    switch UpstreamQuery(envelope.method, in: bytes) {
    case .watch: watch(question.run, id, on: connection)
    case .report: report(question.run, id, on: connection)
    case nil:
      if let fence = UpstreamFence(envelope, in: bytes, message: message), fences.isTooLate(fence) {
        return refuse(id, question, on: connection)
      }
      started(id, question, on: connection)
    }
  }

  package func connection(_ connection: ClientConnection, closed reason: String) {
    conversations[connection.token] = nil
    watchers.removeAll { $0.conversation == connection.token }
    for job in jobs.removeAll(of: connection.token) {
      end(job, index(ofRun: job.question.run), PreciseTimer.nowNanoseconds)
    }
  }

  /// Refuses a request, because one of a later owner of its key has come before it.
  private func refuse(_ id: UInt64, _ question: UpstreamQuestion, on connection: ClientConnection) {
    runs[index(ofRun: question.run)].ledger.work.fenced += 1
    UpstreamWriter.fenced(id, into: &connection.output)
    connection.sendSoon()
  }

  private func idOfCancel(_ params: ByteRange, in bytes: Span<UInt8>) -> UInt64? {
    guard !params.isEmpty, bytes[params.range.lowerBound] == UInt8(ascii: "{") else { return nil }
    var members = ObjectReader(params)
    while let member = members.next(in: bytes) {
      if member.isNamed("id", in: bytes) { return JSONNumber.nonNegativeInteger(member.value, in: bytes) }
    }
    return nil
  }
}
