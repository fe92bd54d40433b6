import HotData
import Identity
import JSONRPC
import TaskStore

/// How long clients are waited for.
extension Edge {
  /// Notes which timeout a client has now, and since when.
  /// - Parameter hasAdvanced: another message of it is complete, so that the wait for the rest of one begins anew.
  @inline(__always)
  mutating func wait(for client: Int, hasAdvanced: Bool) {
    if !isUnawaited(client) { decideWait(for: client, hasAdvanced: hasAdvanced) }
  }

  /// Whether a client is as nearly all are that have asked something: it is waited for no more than before.
  @inline(__always)
  func isUnawaited(_ client: Int) -> Bool {
    clients[client].isOnFastPath && (clients[client].unanswered > 0 || configuration.idleMilliseconds == 0)
  }

  /// The same for a client that has just come: it may have to authenticate only.
  @inline(never)
  mutating func decideWait(for client: Int, hasAdvanced: Bool) {
    let wait = timeout(with: client)
    let isAnew = hasAdvanced && wait != .nothing && wait != .principal
    guard wait != clients[client].waitsFor || isAnew else { return }
    timeouts.end(clients[client].waitsFor, for: client)
    timeouts.begin(wait, for: client)
    clients[client].waitsFor = wait
    clients[client].waitsSinceMilliseconds = nowMilliseconds
  }

  /// First bytes have come that may be those of several protocols: in each of them a message has begun.
  mutating func beganMessage(_ client: Int) {
    guard clients[client].waitsFor == .firstByte, configuration.messageMilliseconds > 0 else { return }
    timeouts.end(.firstByte, for: client)
    timeouts.begin(.message, for: client)
    clients[client].waitsFor = .message
    clients[client].waitsSinceMilliseconds = nowMilliseconds
  }

  private func timeout(with client: Int) -> ClientTimeouts.Wait {
    if clients[client].isGivenUp || isMirror(client) { return .nothing }
    // So long in all, whatever it sends, and however it takes what it is sent.
    if clients[client].principal.isUnknown { return .principal }
    // Its own upstream may never read what it said last.
    if clients[client].hasEnded && clients[client].unanswered == 0 {
      // Nor does it take anything while its notifications are still to be sent, or there is nothing to take.
      let mayGo = !clients[client].hasUnsent && !clients[client].mayStillHear(at: nowMilliseconds)
      return mayGo || !clients[client].output.isEmpty ? .reading : .nothing
    }
    // What is not read for now, or will not be read any more, is not waited for.
    if clients[client].hasEnded || !clients[client].isReading || isPaused(client) {
      return clients[client].output.isEmpty ? .nothing : .reading
    }
    // A message that began before goes on to be waited for: its end need not be in what is held.
    if clients[client].held != nil {
      return clients[client].waitsFor == .message && clients[client].framer.isMidMessage ? .message : .nothing
    }
    if clients[client].framer.isMidMessage { return .message }
    if clients[client].framer.framing == nil { return .firstByte }
    return clients[client].unanswered == 0 && configuration.idleMilliseconds > 0 ? .request : .nothing
  }

  /// It is not read from because it does not read, or its upstream does not.
  private func isPaused(_ client: Int) -> Bool {
    if clients[client].isReadingPaused { return true }
    let mayWait = clients[client].listener.waitsForUpstreams && clients[client].isReadingStopped
    return mayWait && clients[client].held == nil
  }

  private func limitMilliseconds(_ wait: ClientTimeouts.Wait) -> UInt64 {
    switch wait {
    case .nothing: 0
    case .firstByte: configuration.firstByteMilliseconds
    case .message: configuration.messageMilliseconds
    case .request: configuration.idleMilliseconds
    case .principal: configuration.authenticateMilliseconds
    case .reading: configuration.stallMilliseconds
    }
  }

  private func expiry(_ wait: ClientTimeouts.Wait) -> (client: Int, dueMilliseconds: UInt64)? {
    let limit = limitMilliseconds(wait)
    guard limit > 0, let client = timeouts.first(wait) else { return nil }
    return (client, clients[client].waitsSinceMilliseconds + limit)
  }

  var waitsForNobody: Bool {
    @inline(__always) get { timeouts.isEmpty }
  }

  /// When the next client has been waited for long enough.
  var nextExpiryMilliseconds: UInt64 {
    if timeouts.isEmpty { return .max }
    var next = tokenDueMilliseconds
    for wait in ClientTimeouts.Wait.allCases {
      if let expiry = expiry(wait) { next = min(next, expiry.dueMilliseconds) }
    }
    return next
  }

  /// Gives up the clients that have been waited for long enough: what they asked is answered to nobody.
  mutating func giveUpOverdueClients() {
    if timeouts.isEmpty { return }
    endTokens()
    for wait in ClientTimeouts.Wait.allCases {
      while let (client, due) = expiry(wait), due <= nowMilliseconds {
        counters.clientsGivenUp += 1
        sayWhy(wait, to: client)
        giveUp(client)
      }
    }
  }

  /// What a client hears of why it is given up, if there is anything to hear.
  private mutating func sayWhy(_ wait: ClientTimeouts.Wait, to client: Int) {
    switch wait {
    case .message:
      let limit = configuration.messageMilliseconds
      let isUnseen = clients[client].framer.framing == nil
      refuseHalf(of: client, because: "a message has not ended within \(limit) ms", isUnseen: isUnseen)
    case .principal:
      let message = "not authenticated within \(configuration.authenticateMilliseconds) ms"
      refuseMessage(.unauthenticated.with(message: message), from: Sender(client: client))
    case .nothing, .firstByte, .request, .reading: break
    }
  }

  /// The operator does not want a connection any more.
  mutating func evict(_ client: Int) {
    counters.clientsEvicted += 1
    note(.evicted, of: client)
    endWork(of: client, because: .shuttingDown.with(message: "the operator ended this connection"))
  }

  /// Tells a client why, and closes it with this turn. A POST at work, and a session with one, first has its requests
  /// cancelled: each then has one reply, which says what upstream may have done.
  mutating func endWork(of client: Int, because error: RPCError) {
    if isWorkOfPost(client) {
      endingPosts.append((client, error))
    } else {
      end(client, because: error)
    }
  }

  /// Whether a POST, or a session of them, waits for an answer, or for the rest of its array.
  func isWorkOfPost(_ client: Int) -> Bool {
    (isExchange(client) || clients[client].listener.kind == .session)
      && (clients[client].unanswered > 0 || clients[client].held?.array != nil)
  }

  private mutating func end(_ client: Int, because error: RPCError) {
    refuseMessage(error, from: Sender(client: client))
    giveUp(client)
  }

  /// The next POST that ends at work.
  var endingPost: Int? { endingPosts.last?.client }

  /// What it asked has been taken back; of an array nothing more is read.
  mutating func endPost() {
    guard let (client, error) = endingPosts.popLast() else { return }
    forgetHeld(of: client)
    end(client, because: error)
  }

  /// What a session asked has been taken back by its client's own word, or what a POST did by another loop.
  mutating func endSession(_ client: Int) {
    let isUnread = isExchange(client) && clients[client].held?.array != nil
    forgetHeld(of: client)
    // It may have had no answer until now, and then no reply.
    if isUnread { refuseMessage(.cancelled, from: Sender(client: client)) }
    giveUp(client)
  }

  /// It closes with this turn: what it asked is answered to nobody.
  mutating func giveUp(_ client: Int) {
    clients[client].end(as: .givenUp)
    wait(for: client, hasAdvanced: false)
    markDirty(client)
  }
}
