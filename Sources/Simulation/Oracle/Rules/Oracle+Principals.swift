import GatewayCore
import Identity
import JSONRPC
import TaskStore

/// Which principals clients are, as it shows from outside.
extension Oracle {
  /// The person that a client which connects as this user is.
  func person(ofUser user: Int, _ options: ListenerOptions) -> Person {
    guard options.asksWho else { return .anyone }
    guard user >= Population.users else { return isKnown(user) ? .known(user) : .unknown }
    let number = user - Population.users
    return isKnown(number) && believesTokens ? .known(number) : .unknown
  }

  /// Whether tokens count that end.
  private var believesTokens: Bool { TokenDigest.isBuilt && !configuration.issuers.isEmpty }

  private func isKnown(_ number: Int) -> Bool {
    configuration.principals.contains { $0.name == Population.name(number) }
  }

  var unknownCount: Int { clients.count { $0.person == .unknown && $0.goneTurn == .max && $0.isThere } }

  // MARK: Saying who one is

  /// The reply due to a client that authenticates.
  mutating func authenticates(_ client: Int, token: Int) -> RecordView.Duty {
    guard clients[client].options.asksWho else { return .authentication(nil) }
    let isRight =
      clients[client].failures < configuration.authenticateAttempts && !clients[client].isRevoked
      && TokenDigest.isBuilt && isKnown(token)
    guard isRight else {
      clients[client].failures += 1
      if clients[client].failures >= configuration.authenticateAttempts { clients[client].hasFailed = true }
      coverage.count(.failedAuthentication)
      return .refusal(RPCError.unauthenticated.code)
    }
    if case .known(let number) = clients[client].person, number != token {
      coverage.count(.stayedWhoItIs)
      return .refusal(RPCError.forbidden.code)
    }
    if clients[client].person == .unknown {
      guard !isFull(.known(token)) else {
        coverage.count(.refusedLogIn)
        return .refusal(RPCError.overloaded.code)
      }
      coverage.count(.authenticated)
    }
    clients[client].person = .known(token)
    clients[client].principal = token
    joinSession(client)
    clients[client].failures = 0
    clients[client].endMilliseconds = nil
    return .authentication(token)
  }

  func judgeAuthentication(_ reply: ReplyView, _ token: Int?, _ number: Int, in bytes: [UInt8]) {
    let name = token.map { "\"\(Population.name($0))\"" } ?? "null"
    let isRight = reply.code == 0 && bytes[reply.result].elementsEqual("{\"principal\":\(name)}".utf8)
    expect(isRight, "message \(number) says who its client is, and was answered with \(reply.code)")
  }

  // MARK: What it may do

  /// Why a client may not send that, if so.
  func refusal(of message: Message, from client: Int) -> RecordView.Duty? {
    let person = clients[client].person
    if person == .unknown { return .refusal(RPCError.unauthenticated.code) }
    let isForbidden =
      switch message {
      case .cancel(_, .key), .inspect: person.isRestricted
      case .cancel(_, .group(_, isOfPrincipal: true)): person == .anyone
      default: false
      }
    return isForbidden ? .refusal(RPCError.forbidden.code) : nil
  }

  /// Whether a message that is no ordinary request may be refused because of its sender.
  func mayBeRefused(_ reply: ReplyView, to client: Int) -> Bool {
    switch clients[client].person {
    case .anyone: false
    // It may have been unknown when it sent that.
    case .unknown, .known:
      reply.code == RPCError.unauthenticated.code || reply.code == RPCError.forbidden.code
        || reply.code == RPCError.overloaded.code && mayRefuseCancel(of: client)
    }
  }

  /// The clients that come by the same listener as the same principal.
  func fellows(of client: Int) -> [Int] {
    clients.indices.filter {
      clients[$0].person == clients[client].person && clients[$0].listener == clients[client].listener
        && clients[$0].isThere && clients[$0].goneTurn == .max
    }
  }

  /// The operator ended a connection: it hears so, and has to go.
  /// - Parameter isSure: it had not been given up before.
  mutating func isEvicted(_ client: Int, isSure: Bool) {
    clients[client].nullsAllowed[RPCError.shuttingDown.code, default: 0] += 1
    clients[client].isEnded = true
    guard isSure else { return }
    clients[client].nullsDue[RPCError.shuttingDown.code, default: 0] += 1
    coverage.count(.evicted)
  }

  // MARK: Reloading

  /// Clients whose credentials have been revoked; from now on they are unknown, and have to go.
  mutating func revoke(_ open: [Int]) -> [Int] {
    let revoked = open.filter {
      guard case .known(let number) = clients[$0].person else { return false }
      return !isKnown(number) || clients[$0].endMilliseconds != nil && !believesTokens
    }
    for client in revoked { forget(client, .revoked) }
    return revoked
  }

  /// Clients whose tokens have ended, likewise.
  mutating func endTokens(_ open: [Int]) -> [Int] {
    let ended = open.filter {
      guard case .known = clients[$0].person, let end = clients[$0].endMilliseconds else { return false }
      return end <= nowMilliseconds
    }
    for client in ended { forget(client, .tokenEnded) }
    return ended
  }

  private mutating func forget(_ client: Int, _ reason: Coverage.Happening) {
    clients[client].person = .unknown
    clients[client].isRevoked = true
    clients[client].isEnded = true
    clients[client].nullsAllowed[RPCError.unauthenticated.code, default: 0] += 1
    coverage.count(reason)
  }
}
