import HotData
import Identity
import JSONRPC
import TaskStore

/// Which principals clients are, and what they may do.
extension Edge {
  // MARK: Coming and going

  func principal(_ options: ListenerOptions, _ credential: Credential?) -> Principal {
    guard options.asksWho else { return .anonymous }
    return credential.flatMap { directory.find($0) } ?? .unknown
  }

  /// The longest message of a client; before it has logged in that is less.
  func messageLimitBytes(of principal: Principal, _ kind: ClientKind) -> Int {
    // The shell has held against the bound what came, under ids that may be shorter.
    let spare = kind == .session ? Self.sessionIDBytes : 0
    let limit = configuration.messageLimitBytes + spare
    return principal.isUnknown ? min(limit, configuration.unauthenticatedBytes) : limit
  }

  /// What two ids of a session's own take.
  private static let sessionIDBytes = 64

  mutating func noteArrival(of client: Int, _ credential: Credential?) {
    credentials.reach(client)
    let isUnknown = clients[client].principal.isUnknown
    credentials[client] = HeldCredential(credential: isUnknown ? nil : credential)
    count(1, of: client)
    guard !isUnknown else { return }
    note(.authenticated, of: client)
    if let credential { noteEnd(of: credential) }
  }

  mutating func noteDeparture(of client: Int) {
    count(-1, of: client)
    credentials[client] = HeldCredential()
  }

  /// Adds to the connections of a client's principal. A mirror counts at its own loop; the shell counts the connection
  /// of a POST that has not authenticated.
  private mutating func count(_ connections: Int, of client: Int) {
    let principal = clients[client].principal
    guard !isMirror(client), !(principal.isUnknown && isExchange(client)) else { return }
    guard !principal.isUnknown else { return unknownCount += connections }
    connectionCounts.reach(principal.number)
    connectionCounts[principal.number] += connections
  }

  /// Connections of a principal.
  func connectionCount(ofPrincipal number: Int) -> Int {
    connectionCounts.indices.contains(number) ? connectionCounts[number] : 0
  }

  /// Requests of a principal that are not answered yet; of nobody in particular none are counted.
  @inline(__always)
  func callerCount(ofPrincipal number: Int) -> Int {
    callerCounts.indices.contains(number) ? callerCounts[number] : 0
  }

  func callerCount(ofPrincipalOf client: Int) -> Int {
    callerCount(ofPrincipal: clients[client].principal.number)
  }

  /// Whether a client is somebody's. The namespaces of principals are numbered from 1.
  @inline(__always)
  func hasPrincipal(_ client: Int) -> Bool { clients[client].principal.namespace > 0 }

  /// Counts callers of a client that has a principal.
  @inline(never)
  mutating func count(callers: Int, ofPrincipalOf client: Int) {
    let number = clients[client].principal.number
    guard number > 0 else { return }
    callerCounts.reach(number)
    callerCounts[number] += callers
  }

  /// Counts waiters for parts of an answer that several loops give: each is a caller, as what it takes is the same.
  @inline(never)
  mutating func count(parts: Int, of client: Int) {
    guard hasPrincipal(client) else { return }
    partCounts.reach(client)
    partCounts[client] += parts
    count(callers: parts, ofPrincipalOf: client)
  }

  private func partCount(of client: Int) -> Int {
    partCounts.indices.contains(client) ? partCounts[client] : 0
  }

  /// Principals of whom more, or fewer, callers are counted than their connections have.
  var miscountedPrincipals: [Int] {
    var counts = Array(callerCounts.indices).map { callerCounts[$0] }
    for slot in 0..<clients.endSlot where clients.contains(slot) {
      let number = clients[slot].principal.number
      guard number > 0, counts.indices.contains(number) else { continue }
      counts[number] -= clients[slot].unanswered + partCount(of: slot)
    }
    return counts.indices.filter { counts[$0] != 0 }
  }

  func quotas(of principal: Int) -> Quotas { directory.options(ofNumber: principal)?.quotas ?? Quotas() }
  func name(ofPrincipal number: Int) -> String? { directory.options(ofNumber: number)?.name }
  func principal(of client: Int) -> Principal { clients[client].principal }

  /// Whether a principal has as many connections as it may.
  func isFull(_ principal: Principal) -> Bool {
    principal.number > 0
      && connectionCount(ofPrincipal: principal.number) >= quotas(of: principal.number).connections
  }

  // MARK: Saying who one is

  /// `lastword.authenticate`: whether its token is that of a principal. Returns whether the connection is known from now
  /// on, and was not before.
  mutating func authenticate(_ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender) -> Bool {
    let client = sender.client
    guard let token = token(in: envelope.params, bytes) else {
      let error = RPCError.invalidParams("expected {\"token\"}")
      refuseMessage(error, of: envelope, in: bytes, from: sender)
      return false
    }
    guard clients[client].listener.asksWho else {
      answer(Array("{\"principal\":null}".utf8), to: envelope, in: bytes, of: sender)
      return false
    }
    let presented: Credential
    do throws(LogInFault) {
      presented = try credential(of: token, from: client)
    } catch {
      refuseUnknown(error, envelope, in: bytes, from: sender)
      return false
    }
    return know(presented, envelope, in: bytes, from: sender)
  }

  /// By what a client may be known from now on that presents a token.
  private func credential(of token: [UInt8], from client: Int) throws(LogInFault) -> Credential {
    // A revoked connection stays unknown in the same turn, under any credential: its requests are still there.
    guard !credentials[client].isRevoked else { throw .revoked }
    // Attempts behind the last allowed one, such as items of the same batch, do not count.
    guard credentials[client].failures < configuration.authenticateAttempts else { throw .tooManyAttempts }
    return try credential(of: token)
  }

  /// Somebody has this credential: whoever it is, if it may be. Returns the same.
  private mutating func know(
    _ credential: Credential, _ envelope: Envelope, in bytes: Span<UInt8>, from sender: Sender
  ) -> Bool {
    let client = sender.client
    let wasUnknown = clients[client].principal.isUnknown
    let known = directory.find(credential)
    guard wasUnknown || clients[client].principal == known else {
      forbid("a connection stays who it is", envelope, in: bytes, from: sender)
      endRefusedPost(sender)
      return false
    }
    guard let principal = known ?? newcomer(credential) else {
      counters.principalsRefused += 1
      let overload = Overload.tooManyPrincipals
      note(.overQuota(reason: overload.error.message), of: client)
      refuseMessage(overload, of: envelope, in: bytes, from: sender)
      endRefusedPost(sender)
      return false
    }
    guard !wasUnknown || !isFull(principal) else {
      let overload = Overload.tooManyConnections
      note(.overQuota(reason: overload.error.message), of: client)
      refuseMessage(overload, of: envelope, in: bytes, from: sender)
      endRefusedPost(sender)
      return false
    }
    let kept = lasting(credential, credentials[client].credential)
    credentials[client] = HeldCredential(credential: kept)
    noteEnd(of: kept)
    if wasUnknown { welcome(client, as: principal) }
    answer(name(of: principal), to: envelope, in: bytes, of: sender)
    return wasUnknown
  }

  /// One whom only its issuer knew; nil: there are as many as there may be.
  mutating func newcomer(_ credential: Credential) -> Principal? {
    guard case .issued(let identity) = credential else { return nil }
    return directory.enter(identity, limit: configuration.issuedPrincipals)
  }

  private func token(in params: ByteRange, _ bytes: Span<UInt8>) -> [UInt8]? {
    guard !params.isEmpty, bytes[Int(params.lower)] == UInt8(ascii: "{") else { return nil }
    var token: [UInt8]?
    var members = ObjectReader(params)
    while let member = members.next(in: bytes) {
      guard token == nil, member.isNamed("token", in: bytes), member.kind == .string else { return nil }
      var text: [UInt8] = []
      guard JSONString.unescape(member.value, in: bytes, into: &text) else { return nil }
      token = text
    }
    return token
  }

  private mutating func welcome(_ client: Int, as principal: Principal) {
    count(-1, of: client)
    clients[client].principal = principal
    count(1, of: client)
    counters.authenticated += 1
    note(.authenticated, of: client)
    joinSession(client)
    clients[client].framer.keep(
      limitBytes: messageLimitBytes(of: principal, clients[client].listener.kind))
    wait(for: client, hasAdvanced: false)
  }

  private mutating func refuseUnknown(
    _ fault: LogInFault, _ envelope: Envelope, in bytes: Span<UInt8>, from sender: Sender
  ) {
    counters.failedAuthentications += 1
    logInFaults.count(fault)
    note(.authenticationFailed(fault), of: sender.client)
    refuseMessage(.unauthenticated, of: envelope, in: bytes, from: sender)
    endRefusedPost(sender)
    // Whoever knows a session's name can present tokens to it. They say nothing against its client, and the shell closes
    // the connection that they came over.
    guard clients[sender.client].listener.kind != .session || isUnknown(sender.client) else { return }
    credentials[sender.client].failures += 1
    guard credentials[sender.client].failures >= configuration.authenticateAttempts else { return }
    clients[sender.client].goOn(to: .closing)
    markDirty(sender.client)
  }

  /// A token was refused. A POST shows its own before its content, and hears of that as the whole of its reply: nothing
  /// behind it is read. An item of an array is refused by itself.
  private mutating func endRefusedPost(_ sender: Sender) {
    guard isExchange(sender.client), sender.batch < 0 else { return }
    clients[sender.client].goOn(to: .closing)
    markDirty(sender.client)
  }

  private func name(of principal: Principal) -> [UInt8] {
    var result = Array("{\"principal\":".utf8)
    MessageWriter.appendString(Array((directory.options(of: principal)?.name ?? "").utf8), into: &result)
    result.append(UInt8(ascii: "}"))
    return result
  }

  /// Its later messages are refused: they may come in the same turn, even if it was given up before for something else.
  mutating func revoke(_ client: Int, because reason: String) {
    note(.revoked(reason: reason), of: client)
    count(callers: -clients[client].unanswered, ofPrincipalOf: client)
    count(parts: -partCount(of: client), of: client)
    count(-1, of: client)
    clients[client].principal = .unknown
    credentials[client].isRevoked = true
    count(1, of: client)
    endWork(of: client, because: .unauthenticated.with(message: reason))
  }

  // MARK: Rules

  /// Whether a client must be known, and may then not do everything.
  @inline(__always)
  func asksWho(_ client: Int) -> Bool { clients[client].listener.asksWho }
  /// Whether what a client asks is not always the usual, and done here.
  @inline(__always)
  func isLookedAt(_ client: Int) -> Bool { clients[client].listener.isLookedAt }
  func isMirror(_ client: Int) -> Bool { clients[client].listener.isMirror }
  func isUnknown(_ client: Int) -> Bool { clients[client].principal.isUnknown }

  /// Since when a client has been due to authenticate; nil: it is known.
  func unknownSince(_ client: Int) -> UInt64? {
    clients[client].waitsFor == .principal ? clients[client].waitsSinceMilliseconds : nil
  }

  /// Whether a client may ask that at all; else it has been refused.
  @inline(never)
  mutating func mayAsk(
    _ method: OwnMethod, _ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender
  ) -> Bool {
    if clients[sender.client].principal.isUnknown {
      switch method {
      case .authenticate, .ping: return true
      default:
        counters.unauthenticated += 1
        note(.unauthenticated, of: sender.client)
        refuseMessage(.unauthenticated, of: envelope, in: bytes, from: sender)
        return false
      }
    }
    guard let reason = forbidden(method, bytes, envelope, sender.client) else { return true }
    forbid(reason, envelope, in: bytes, from: sender)
    return false
  }

  func mayCancelByKey(_ client: Int) -> Bool { rules(of: client)?.mayCancelByKey ?? true }

  /// Whether it may do whatever anybody may.
  func hasNoRules(_ client: Int) -> Bool { rules(of: client) == nil || rules(of: client) == Rules() }

  /// Nil: where nobody is asked, it may do all. A principal that is not there may do nothing.
  private func rules(of client: Int) -> Rules? {
    let principal = clients[client].principal
    if let options = directory.options(of: principal) { return options.rules }
    return principal == .anonymous ? nil : .nothing
  }

  private func forbidden(
    _ method: OwnMethod, _ bytes: Span<UInt8>, _ envelope: Envelope, _ client: Int
  ) -> String? {
    guard let rules = rules(of: client) else { return nil }
    switch method {
    case .inspect: return rules.mayInspect ? nil : "not allowed: lastword.inspect"
    case .foreign:
      guard rules.restrictsMethods else { return nil }
      var name: [UInt8] = []
      guard JSONString.unescape(envelope.method, in: bytes, into: &name), rules.allows(name.span) else {
        return "not allowed: this method"
      }
      return nil
    case .call, .ping, .cancelRequest, .cancel, .discover, .authenticate, .unknown: return nil
    }
  }

  /// Checks a request's options against its client's rules; where it names none, it does without those not allowed.
  /// Returns whether it may go on; else it has been refused.
  @inline(never)
  mutating func mayUse(
    _ intent: inout TaskIntent, isPerConnection: Bool, _ bytes: Span<UInt8>, _ envelope: Envelope,
    from sender: Sender
  ) -> Bool {
    // A notification to an upstream of the connection's own is in no lane, whatever it says.
    guard let rules = rules(of: sender.client), !(isPerConnection && envelope.isNotification) else {
      return true
    }
    if !intent.key.isNone && !rules.allows(intent.admission.policy) {
      let reason = "not allowed: the policy \(intent.admission.policy.wireName)"
      forbid(reason, envelope, in: bytes, from: sender)
      return false
    }
    if !rules.mayJoin, intent.admission.follows {
      guard !intent.said.contains(.superseded) else {
        forbid("not allowed: to follow", envelope, in: bytes, from: sender)
        return false
      }
      intent.admission.follows = false
    }
    guard !rules.mayJoin, intent.admission.join != .never else { return true }
    guard !intent.said.contains(.join) else {
      forbid("not allowed: to join", envelope, in: bytes, from: sender)
      return false
    }
    intent.admission.join = .never
    return true
  }

  /// Whether a client may take back what others asked; else it has been refused.
  mutating func mayCancel(
    _ target: TaskTarget, _ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender
  ) -> Bool {
    let reason: String? =
      switch target {
      case .key where rules(of: sender.client)?.mayCancelByKey == false: "not allowed: to cancel by key"
      case .group(_, .principal) where !asksWho(sender.client): "nobody is asked here who they are"
      case .id, .key, .group: nil
      }
    guard let reason else { return true }
    forbid(reason, envelope, in: bytes, from: sender)
    return false
  }

  mutating func forbid(
    _ reason: String, _ envelope: Envelope, in bytes: Span<UInt8>, from sender: Sender
  ) {
    counters.forbidden += 1
    note(.forbidden(reason: reason), of: sender.client)
    let error = RPCError.forbidden.with(message: reason)
    if envelope.isNotification { return lose(envelope, error, in: bytes, from: sender.client) }
    refuseMessage(error, of: envelope, in: bytes, from: sender)
  }

  /// The clients that come by the same listener as the same principal, the client itself included.
  func fellows(of client: Int) -> [Int] {
    let namespace = clients[client].sharedNamespace
    return (0..<clients.endSlot).filter {
      clients.contains($0) && clients[$0].principal == clients[client].principal
        && clients[$0].sharedNamespace == namespace
    }
  }

  // MARK: Reloading

  /// Clients whose credentials do not count any more have to go, and their work is taken back.
  mutating func keepPrincipals() {
    directory.load(configuration.principals, issuers: configuration.issuers)
    defer { noteEndsAnew() }
    for slot in 0..<min(credentials.count, clients.endSlot) where clients.contains(slot) {
      guard let credential = credentials[slot].credential, !credentials[slot].isRevoked else { continue }
      if let principal = directory.find(credential), principal.number == clients[slot].principal.number {
        clients[slot].principal = principal
      } else {
        counters.clientsRevoked += 1
        revoke(slot, because: "no longer authenticated")
      }
    }
    keepMirrors()
    revokeUnasked()
  }

  /// A listener may ask who its clients are, and not have done so when these came.
  private mutating func revokeUnasked() {
    for slot in 0..<clients.endSlot where clients.contains(slot) && !asksWho(slot) {
      guard options(ofListener: clients[slot].listenerNumber).asksWho else { continue }
      credentials.reach(slot)
      clients[slot].listener.asksWho = true
      clients[slot].listener.isLookedAt = true
      if isMirror(slot) {
        turnAway(slot)
      } else {
        // From here on it counts as those do who are asked.
        count(1, of: slot)
        counters.clientsRevoked += 1
        revoke(slot, because: "authentication is required now")
      }
    }
  }
}
