import HotData
import Identity
import JSONRPC
import TaskStore

/// Clients of other loops, as they are known there and here.
extension Edge {
  /// What another loop has to know of a client.
  func remote(_ client: Int) -> RemoteClient {
    RemoteClient(
      slot: client, number: clients[client].number, listener: clients[client].listenerNumber,
      kind: clients[client].listener.kind, framing: clients[client].framing,
      credential: clients[client].listener.asksWho ? credentials[client].credential : nil,
      session: sessions.text(of: client), options: clients[client].listener)
  }

  /// A mirror of another loop's client; nil: it is nobody here, or there is no room for it.
  /// - Parameter number: the client's, as it has it here.
  mutating func connect(_ client: RemoteClient, number: UInt64, account: Int) -> Int? {
    // Another process may have listeners that this one has not, and whose rules it does not know.
    guard client.listener < max(1, configuration.listeners.count) else { return nil }
    var options = client.options ?? options(ofListener: client.listener, client.kind)
    options.isMirror = true
    // Its own loop has looked.
    options.takesAnswersOnly = false
    options.opensUpstreams = false
    var principal = principal(options, client.credential)
    if principal.isUnknown {
      guard let credential = client.credential, let known = newcomer(credential) else { return nil }
      principal = known
    }
    // Nothing is read of it but what its own loop has framed.
    let framer = MessageFramer(limitBytes: configuration.messageLimitBytes, framing: client.framing)
    let session = ClientSession(
      framer: framer, output: OutputQueue(pool: blocks), listener: client.listener, options,
      principal: principal, account: account, number: number)
    let slot = clients.insert(session)
    mirrorCount += 1
    if options.asksWho {
      credentials.reach(slot)
      // Its own loop says when it ends.
      credentials[slot] = HeldCredential()
    }
    if let session = client.session { name(slot, session: session) }
    return slot
  }

  // MARK: Reloading

  /// Principals may have another namespace, or be gone. Whether a credential still counts is looked at where the client
  /// is: it may have presented a newer one since.
  mutating func keepMirrors() {
    guard mirrorCount > 0 else { return }
    for slot in 0..<clients.endSlot where clients.contains(slot) && isMirror(slot) {
      guard asksWho(slot), !isUnknown(slot) else { continue }
      if let principal = directory.current(clients[slot].principal) {
        clients[slot].principal = principal
      } else {
        turnAway(slot)
      }
    }
  }

  /// From now on whatever comes of a mirror's client is refused. The client's own loop ends it.
  mutating func turnAway(_ mirror: Int) {
    count(callers: -clients[mirror].unanswered, ofPrincipalOf: mirror)
    clients[mirror].principal = .unknown
    credentials[mirror].isRevoked = true
  }

  // MARK: Whose keys

  /// The name that tells a client's shared keys from others'; nil: all clients of its listener share them.
  @inline(__always)
  func namespaceName(of client: Int) -> String? {
    guard clients[client].principal.namespace > 0 else { return nil }
    return directory.namespaceName(of: clients[client].principal)
  }

  /// What a request of ours is about; nil when it does not say so.
  mutating func knownTarget(_ bytes: Span<UInt8>, _ envelope: Envelope, keyOnly: Bool) -> TaskTarget? {
    try? targets.read(envelope.params, keyOnly: keyOnly, in: bytes)
  }

  /// The waiting mirror, and the number under which its client's loop waits; nil: it is no mirror, or something is
  /// still to be written to it, which comes first.
  @inline(__always)
  func call(of waiter: WaiterID) -> (mirror: Int, number: UInt64)? {
    let client = callers[waiter].sender.client
    guard isMirror(client), clients[client].output.isEmpty, clients[client].isReading,
      !clients[client].isGivenUp, let number = callers[waiter].shortID.number
    else { return nil }
    return (client, number)
  }

  func sessionText(of client: Int) -> [UInt8]? { sessions.text(of: client) }
}
