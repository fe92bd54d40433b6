import HotData
import JSONRPC
import TaskStore

/// Progress from upstreams that clients share: each client hears that of its own requests, under its own tokens.
extension GatewayCore {
  // MARK: Requests

  /// Adapts the intent to the request's tokens, or to an upstream that is its connection's own.
  /// - Returns: the fault of its tokens; nil: none.
  @inline(never)
  func adapt(
    _ intent: inout TaskIntent, to terms: UpstreamTerms, _ envelope: Envelope, in bytes: Span<UInt8>
  ) -> RPCError? {
    intent.said.insert(.tokens)
    if terms.isPerConnection {
      intent.scope = .connection
      if envelope.isNotification { intent.passAtOnce() }
      return nil
    }
    do throws(RPCError) {
      guard !(try PassedTokens.find(in: envelope.params, of: bytes)).isEmpty else { return nil }
    } catch {
      return error
    }
    // It waits for no answer to other params: the progress of those has a token that it never gave.
    if intent.admission.join == .always { intent.admission.join = .identical }
    intent.admission.follows = false
    intent.said.remove(.followed)
    return nil
  }

  /// Its tokens are known from now on.
  mutating func notePassedTokens(
    of task: TaskID, _ waiter: WaiterID?, _ envelope: Envelope, _ route: Int, hasOwnTime: Bool,
    in bytes: Span<UInt8>
  ) {
    guard let places = try? PassedTokens.find(in: envelope.params, of: bytes), !places.isEmpty else { return }
    upstreams.replaceTokens(places, of: task, taskCount: lanes.taskCount) { lanes.knows($0) }
    if let waiter { noteProgressTimes(of: waiter, route, hasOwnTime: hasOwnTime) }
  }

  /// Whether a message would end work of an upstream that clients share. It names that work by a token, which may
  /// be another client's.
  func endsProgress(_ envelope: Envelope, in bytes: Span<UInt8>) -> Bool {
    JSONString.equals(envelope.method, in: bytes, "window/workDoneProgress/cancel")
  }

  // MARK: Reports

  /// A notification of an upstream that clients share.
  @inline(never)
  mutating func heardPassedProgress(_ bytes: Span<UInt8>, _ envelope: Envelope, from slot: Int) {
    guard let token = ProgressTokenReader.reportedMember(envelope, in: bytes)?.value,
      let (task, name) = PassedTokens.parse(token, in: bytes)
    else { return upstreams.counters.unsolicited += 1 }
    guard let place = upstreams.replacedTokens(of: task).first(where: { $0.name == name }),
      mayHearAside(of: task, from: slot)
    else { return upstreams.counters.droppedPieces += 1 }
    let text = MessageWriter.notification(envelope, in: bytes, replacing: token, by: place.text.span)
    let padded = JSONText.padded(text)
    var own = Envelope()
    guard case .message = upstreams.scan(padded.span, text.indices, nil, into: &own) else {
      return upstreams.counters.droppedPieces += 1
    }
    heardAside(padded.span, text.indices, own, of: task, from: slot)
  }
}
