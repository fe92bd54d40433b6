import HotData

extension GatewayCore {
  /// Bytes that a client has still to take.
  package func unsentByteCount(of client: ClientID) -> Int { clients[client.slot].output.byteCount }
  package func unsentByteCount(of upstream: UpstreamID) -> Int { sessions[upstream.slot].output.byteCount }

  /// What is kept of a client, and for it, as if nothing were shared.
  package func heldByteCount(of client: ClientID) -> Int { clients[client.slot].heldByteCount }

  /// What a client's open requests ask, as far as it is kept.
  package func requestByteCount(of client: ClientID) -> Int {
    accounts[clients[client.slot].account].requestBytes
  }

  /// The sum of that for all, of those that are gone, too.
  package var accountedRequestBytes: Int {
    accounts.indices.reduce(0) { $0 + accounts[$1].requestBytes }
  }

  /// What is kept of params that nobody needs any more: of what drains and is not undone, and of notifications on
  /// their way.
  package var needlessRequestBytes: Int {
    calls.indices.reduce(0) { sum, slot in
      let isNeedless =
        switch calls[slot].progress {
        case .delivering: true
        case .cancelSent: calls[slot].compensation < 0
        case .held, .waiting, .sent, .compensating: false
        }
      return isNeedless ? sum + max(0, payloads.count(of: slot) - calls[slot].methodBytes) : sum
    }
  }

  /// What answers of batches take, less what is counted of them: 0.
  package var uncountedBatchBytes: Int {
    (0..<batches.endSlot).reduce(-batchBytes) { $0 + (batches.contains($1) ? batches[$1].answers.count : 0) }
  }

  /// Whether all that collected in a turn has been handed out.
  package var isFlushed: Bool { dirtyClients.isEmpty && !hasSettled }

  /// Of what has come of a client, what is not handled yet: bytes, and, before them, items of an array that was begun.
  package func heldInput(of client: ClientID) -> (bytes: Int, items: Int) {
    guard let held = clients[client.slot].held else { return (0, 0) }
    return (held.unreadByteCount, held.array?.itemCount ?? 0)
  }

  /// The same of an upstream.
  package func heldAnswerBytes(of upstream: UpstreamID) -> Int {
    sessions.contains(upstream.slot) ? sessions[upstream.slot].held?.unreadByteCount ?? 0 : 0
  }

  /// Whose connection to an upstream this is; nil: it is for all.
  package func owner(of upstream: UpstreamID) -> ClientID? {
    let client = upstreams[sessions[upstream.slot].upstream].client
    return client < 0 ? nil : ClientID(slot: client)
  }
}
