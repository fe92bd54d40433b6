#if HTTPUpstreams
import CLibCurl
import JSONRPC
import LibUV

/// The stream of a session for messages of its server that belong to no request.
extension MCPTransport {
  /// Opens it, if there is a session and none is open.
  func listen() {
    guard sessionID != nil, listening == nil else { return }
    var request = HTTPRequest([], deadline: .max, takesEvents: true)
    request.method = .get
    request.fields = sessionFields
    if let lastListeningEventID { request.fields.append("Last-Event-ID: \(lastListeningEventID)") }
    let listener = HTTPCalls.Listener(
      onNews: { [unowned self] in heardListening($0) }, onEnd: { [unowned self] in endedListening($0, $1) })
    listening = server.calls.begin(request, to: server.endpoint, server.bounds, listener)
  }

  private func heardListening(_ transfer: HTTPTransfer) {
    lastListeningEventID = transfer.lastEventID ?? lastListeningEventID
    listeningPauseMilliseconds = Self.usualRetryMilliseconds
    for message in transfer.takeMessages() {
      guard listening === transfer else { return }
      tellCore(message, message.count - JSONText.slackByteCount)
    }
  }

  private func endedListening(_ transfer: HTTPTransfer, _ code: CURLcode) {
    guard listening === transfer else { return }
    listening = nil
    lastListeningEventID = transfer.lastEventID ?? lastListeningEventID
    switch transfer.status {
    case 404: return lost("HTTP 404: the server has ended the session")
    // The server has no such stream.
    case 400...499: return
    default: break
    }
    let pause = max(transfer.retryMilliseconds ?? listeningPauseMilliseconds, Self.shortestRetryMilliseconds)
    listeningPauseMilliseconds = min(2 * listeningPauseMilliseconds, Self.longestRetryMilliseconds)
    listensAgainMilliseconds = loop.nowMilliseconds + min(pause, Self.longestRetryMilliseconds)
    arm()
  }
}
#endif
