import HotData
import JSONRPC
import TaskStore

/// What takes back requests of other loops: by id, by key, by group.
extension GatewayCore {
  /// `lastword.cancel`: what it is about may be elsewhere, and at several loops.
  mutating func passesOnCancel(
    _ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender
  ) -> Bool {
    switch edge.knownTarget(bytes, envelope, keyOnly: false) {
    case nil: return false
    case .id(let id): return passesOnCancel(ofID: id, bytes, envelope, isCounted: true, from: sender)
    case .key:
      guard let places = placesOfTarget(envelope, in: bytes, keyOnly: false, of: sender.client) else {
        return false
      }
      return passesOn(bytes, envelope, toAllOf: places, isNull: false, from: sender)
    case .group(_, .principal) where !edge.asksWho(sender.client): return false
    case .group(_, let scope):
      let isEverywhere = scope == .principal || edge.sessionText(of: sender.client) != nil
      let loops = isEverywhere ? peers.others : peers.loops(of: sender.client)
      return passesOn(bytes, envelope, toHereAnd: loops, isNull: false, from: sender)
    }
  }

  /// The request may be another loop's; that of a session of POSTs may have come to any.
  mutating func passesOnCancel(
    ofID id: ByteRange, _ bytes: Span<UInt8>, _ envelope: Envelope, isCounted: Bool, from sender: Sender
  ) -> Bool {
    if let waiter = newest(withID: id, in: bytes, of: sender.client) {
      guard lanes.isRemote(waiter) else { return false }
      cancelRemote(waiter, bytes, envelope, isCounted: isCounted, from: sender)
      return true
    }
    guard edge.sessionText(of: sender.client) != nil else { return false }
    return passesOn(bytes, envelope, toHereAnd: peers.others, isNull: !isCounted, from: sender)
  }

  /// Cancels a request at another loop. That loop answers both its caller and the client that cancels.
  mutating func cancelRemote(
    _ waiter: WaiterID, _ bytes: Span<UInt8>, _ envelope: Envelope, isCounted: Bool, from sender: Sender
  ) {
    let call = peers.call(of: waiter)
    guard !call.isParked else {
      guard mayTakeBack(bytes, envelope, from: sender) else { return }
      refuse(waiter, .cancelled, isSent: false)
      countTakenBack(1, by: sender.client)
      return edge.answer(
        isCounted ? Self.cancelled(1) : Array("null".utf8), to: envelope, in: bytes, of: sender)
    }
    var answer: UInt64?
    if !envelope.isNotification {
      guard !edge.isAtABound(sender.client, isOwn: true) else {
        return refuse(envelope, because: .tooManyUnanswered, in: bytes, from: sender)
      }
      guard !hasAllCallers(sender.client, times: 2) else {
        return refuseCaller(envelope, in: bytes, from: sender)
      }
      guard let caller = addRemoteCaller(envelope, in: bytes, from: sender) else { return }
      answer = peers.begin(caller, at: KeyPlace(loop: Int(call.loop)), of: sender.client, isOwn: true)
      limit(caller, to: edge.usualIntent.admission.timeoutMilliseconds)
    }
    // What is counted for nobody is the gateway's own.
    peers.cancel(
      call.number, answer: answer, isCounted: isCounted && answer != nil, of: Int(call.client),
      at: Int(call.loop))
  }

  /// One of our own methods leaves for another loop. If it is a cancel by key, what is on its way before it, and comes
  /// back behind it, is not sent again.
  /// - Parameter name: the hash of the key that it is about.
  mutating func takeBackSent(
    before envelope: Envelope, in bytes: Span<UInt8>, named name: UInt64, by client: Int
  ) {
    guard OwnMethod(envelope, in: bytes) == .cancel else { return }
    guard name != 0, edge.mayCancelByKey(client) else { return }
    share.spend(messages: peers.callSlotCount / Self.clientsPerMessage)
    peers.takeBackSent(named: name)
  }

  /// Takes back a group's requests: those that wait here end; those at other loops, which do their part, are not sent
  /// again.
  mutating func cancelRemote(_ waiters: [WaiterID]) {
    for waiter in waiters {
      if peers.call(of: waiter).isParked {
        refuse(waiter, .cancelled, isSent: false)
      } else {
        peers.takeBackSent(waiter)
      }
    }
  }
}
