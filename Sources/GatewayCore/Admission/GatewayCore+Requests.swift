import HotData

/// What open requests ask: a quarter of `memoryBytes`, and at most `payloadBytes`.
///
/// A request that does not fit is refused if its client would then ask about as much as anybody, or more. Else it is
/// taken, and before the turn ends those make room who ask most: nobody is refused for what a larger one has there.
extension GatewayCore {
  /// Bytes of methods, params and traces that are kept.
  package var requestByteCount: Int { payloads.byteCount &+ traces.byteCount }

  @inline(__always)
  func requestByteCount(of slot: Int) -> Int {
    payloads.count(of: slot) &+ (traces.byteCount > 0 ? traces.count(of: slot) : 0)
  }

  // MARK: What counts for whom

  @inline(__always)
  mutating func count(requestBytes byteCount: Int, of account: Int) {
    let before = accounts[account].requestBytes
    let after = before &+ byteCount
    accounts[account].requestBytes = after
    if SizeClasses.mayDiffer(before, after) { noteSize(of: account, from: before, to: after) }
  }

  /// Who is gone cannot make room.
  @inline(never)
  private mutating func noteSize(of account: Int, from before: Int, to after: Int) {
    if accounts[account].client >= 0 { requestSizes.move(from: before, to: after) }
  }

  /// What a task asked is not needed any more.
  @inline(__always)
  mutating func forgetAsked(_ slot: Int) {
    count(requestBytes: -payloads.count(of: slot), of: calls[slot].account)
    payloads.forgetApart(slot)
  }

  /// Only the method is needed from now on.
  mutating func forgetParams(_ slot: Int) {
    let before = payloads.count(of: slot)
    payloads.forgetSecond(of: slot, dividedAt: calls[slot].methodBytes)
    count(requestBytes: payloads.count(of: slot) - before, of: calls[slot].account)
  }

  // MARK: Making room

  /// Whether somebody asks twice as much as a client would that asks so much, or more.
  func isMuchLess(_ byteCount: Int) -> Bool { SizeClasses.number(of: byteCount) < requestSizes.highest }

  /// Gives up those clients that ask most, until a part of the bound is free again. The walk over all accounts is paid
  /// for by what it frees, and ends one connection at least.
  @inline(never)
  mutating func makeRequestRoom() {
    var rest = requestByteCount
    let enough = requestLimitBytes - requestLimitBytes / Self.freedPart
    let askers = askers
    // What some of them ask goes anyway.
    for asker in askers where clients[asker.client].isGivenUp { rest -= asker.byteCount }
    for asker in askers where rest > enough && !clients[asker.client].isGivenUp {
      rest -= asker.byteCount
      makeRoom(byClosing: asker.client)
    }
  }

  /// The clients that ask much, those that ask most first.
  private var askers: [(byteCount: Int, client: Int)] {
    var askers: [(byteCount: Int, client: Int)] = []
    for slot in accounts.indices {
      let account = accounts[slot]
      guard account.client >= 0, account.requestBytes >= SizeClasses.leastBytes else { continue }
      askers.append((account.requestBytes, account.client))
    }
    askers.sort { ($0.byteCount, $1.client) > ($1.byteCount, $0.client) }
    return askers
  }
}
