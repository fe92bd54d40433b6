#if HTTPUpstreams
import JSONRPC
import LibUV

/// The stream of a session for messages of its server that belong to no request.
///
/// A message that is longer than `messageBytes` does not end it: if it was opened again behind the event before, with
/// `Last-Event-ID`, it would begin with the same message, for ever. So the stream goes on behind that, whose id counts as
/// heard, and what follows is not lost. The core gets the beginning of the message, and judges it as all that is too long:
/// a request is answered with an error, a notification is dropped and counted, and what is neither ends the connection.
extension MCPTransport {
  /// Opens it, if there is a session and none is open.
  func listen(in session: MCPSession) {
    guard session.id != nil, !session.isOver, session.listening == nil else { return }
    var request = HTTPRequest([], deadline: .max, takesEvents: true)
    request.method = .get
    request.cutsLongEvents = true
    request.fields = session.fields
    if let last = session.lastListeningEventID { request.fields.append("Last-Event-ID: \(last)") }
    let listener = HTTPCalls.Listener(
      onNews: { [unowned self] in heardListening($0, in: session) },
      onEnd: { [unowned self] transfer, _ in endedListening(transfer, in: session) })
    session.listening = server.calls.begin(request, to: server.endpoint, server.bounds, listener)
  }

  private func heardListening(_ transfer: HTTPTransfer, in session: MCPSession) {
    session.lastListeningEventID = transfer.lastEventID ?? session.lastListeningEventID
    session.listeningPauseMilliseconds = Self.usualRetryMilliseconds
    for message in transfer.takeMessages() {
      guard session.listening === transfer else { return }
      tellCore(message, message.count - JSONText.slackByteCount)
    }
  }

  private func endedListening(_ transfer: HTTPTransfer, in session: MCPSession) {
    guard session.listening === transfer else { return }
    session.listening = nil
    session.lastListeningEventID = transfer.lastEventID ?? session.lastListeningEventID
    switch transfer.status {
    case 404: return serverEnded(session)
    // The server has no such stream.
    case 400...499: return
    default: break
    }
    let pause = max(
      transfer.retryMilliseconds ?? session.listeningPauseMilliseconds, Self.shortestRetryMilliseconds)
    session.listeningPauseMilliseconds = min(
      2 * session.listeningPauseMilliseconds, Self.longestRetryMilliseconds)
    session.listensAgainMilliseconds =
      loop.nowMilliseconds + min(pause, Self.longestRetryMilliseconds)
    arm()
  }
}
#endif
