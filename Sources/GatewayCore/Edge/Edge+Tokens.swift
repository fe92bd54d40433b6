import HotData
import Identity
import JSONRPC

/// Tokens that issuers have signed: when they end, and how many principals come by them.
extension Edge {
  // MARK: Time

  /// What the wall clock says, in milliseconds since 1970, and when it did.
  mutating func wallClock(says unixMilliseconds: Int64, atMilliseconds: UInt64) {
    unixOffsetMilliseconds = unixMilliseconds - Int64(clamping: atMilliseconds)
    nextWallClockMilliseconds = atMilliseconds + Self.wallClockMilliseconds
  }

  /// While tokens may end it is asked for so often: it may be set, or the machine may have slept.
  static let wallClockMilliseconds: UInt64 = 1_000

  /// Milliseconds since 1970; nil: nobody has said it.
  var unixMilliseconds: Int64? { unixOffsetMilliseconds.map { $0 + Int64(clamping: nowMilliseconds) } }

  /// When the next token ends, or the wall clock should be asked again, while any may end.
  var tokenDueMilliseconds: UInt64 {
    guard let end = timeouts.firstTokenEnd, let offset = unixOffsetMilliseconds else { return .max }
    return min(UInt64(clamping: end - offset), nextWallClockMilliseconds)
  }

  // MARK: Ends

  /// A client is known by a token from now on, or by another one than before.
  mutating func noteEnd(of credential: Credential) {
    guard let end = endMilliseconds(credential) else { return }
    timeouts.firstTokenEnd = min(end, timeouts.firstTokenEnd ?? .max)
  }

  /// What a client is known by from now on: what it has presented last, unless that ends before what it had.
  func lasting(_ presented: Credential, _ held: Credential?) -> Credential {
    guard let held, let end = endMilliseconds(presented) else { return presented }
    guard let heldEnd = endMilliseconds(held), heldEnd <= end else { return held }
    return presented
  }

  private func endMilliseconds(_ credential: Credential) -> Int64? {
    guard case .issued(let identity) = credential else { return nil }
    return directory.endMilliseconds(identity)
  }

  /// Clients whose tokens have ended have to go, and their work is taken back.
  mutating func endTokens() {
    guard let end = timeouts.firstTokenEnd, let now = unixMilliseconds else { return }
    // A shell that does not tell the wall clock's time is asked again, but not all the time.
    if nextWallClockMilliseconds <= nowMilliseconds {
      nextWallClockMilliseconds = nowMilliseconds + Self.wallClockMilliseconds
    }
    if end <= now { endTokens(upTo: now) }
  }

  /// Ends the clients whose tokens have expired. The time that was noted may be out of date: a newer token came, or the
  /// client is gone.
  private mutating func endTokens(upTo now: Int64) {
    timeouts.firstTokenEnd = nil
    for slot in 0..<min(credentials.count, clients.endSlot) where clients.contains(slot) {
      guard let credential = credentials[slot].credential, case .issued(let identity) = credential,
        !credentials[slot].isRevoked
      else { continue }
      if let end = directory.endMilliseconds(identity), end <= now {
        counters.tokensEnded += 1
        revoke(slot, because: "the token has expired")
      } else {
        noteEnd(of: credential)
      }
    }
  }

  /// Leeways may be others.
  mutating func noteEndsAnew() {
    guard timeouts.firstTokenEnd != nil else { return }
    endTokens(upTo: unixMilliseconds ?? .min)
  }

  // MARK: Who comes

  /// By what a token's client is known. One that an operator made out is looked for first.
  /// - Throws: why it is nobody's.
  func credential(of token: [UInt8]) throws(LogInFault) -> Credential {
    guard token.count <= configuration.unauthenticatedBytes else { throw .tooLong }
    if let digest = TokenDigest(of: token), directory.find(.token(digest)) != nil { return .token(digest) }
    guard directory.mayBeIssued(token) else { throw .unknown }
    do throws(TokenFault) {
      return .issued(try directory.identity(of: token, atUnixMilliseconds: unixMilliseconds))
    } catch {
      throw .signed(error)
    }
  }

  var hasIssuers: Bool { directory.hasIssuers }
  /// Whether nobody new can come of whom only an issuer knows.
  var hasAllIssued: Bool { directory.hasIssuers && directory.isFull(limit: configuration.issuedPrincipals) }

  /// Whether a client of another loop can have no mirror because there are as many of these as there may be.
  func hasNoRoom(for client: RemoteClient) -> Bool {
    guard case .issued(let identity)? = client.credential else { return false }
    return directory.hasNoRoom(for: identity, limit: configuration.issuedPrincipals)
  }

  /// Forgets principals that came by tokens and are not in use any more. Looks at all clients. Returns their numbers,
  /// which others will get.
  /// - Parameter namespaces: those of all keys that are in use.
  /// - Parameter busy: the numbers of principals for whom something still counts.
  mutating func forgetIssued(keysIn namespaces: [Namespace], busy: Set<Int>) -> [Int] {
    var present: [Principal] = []
    for slot in 0..<clients.endSlot where clients.contains(slot) { present.append(clients[slot].principal) }
    return directory.forgetIssued(
      but: present, busy: busy, namespaces: Set(namespaces.compactMap(\.principals)))
  }
}
