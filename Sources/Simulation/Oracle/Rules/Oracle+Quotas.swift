import GatewayCore
import Identity
import JSONRPC

/// What all connections of a principal may take together.
extension Oracle {
  /// Nil of nobody in particular.
  func quotas(of client: Int) -> Quotas? {
    guard let principal = clients[client].principal else { return nil }
    return configuration.principals.first { $0.name == Population.name(principal) }?.quotas
  }

  /// So many requests of a client's principal may wait for an answer; without bound of nobody in particular.
  func mostCallers(of client: Int) -> Int {
    quotas(of: client).map { Bounds.callers($0, configuration) } ?? .max
  }

  /// The client, or its principal, that a task counts for at upstreams; -1: not known.
  func party(of task: Int) -> Int {
    let client = account(of: task)
    guard client >= 0, !upstreams[tasks[task].upstream].isPrivate else { return client }
    return clients[client].principal.map { Self.firstPrincipal + $0 } ?? client
  }

  /// Clients have lower numbers.
  private static let firstPrincipal = 1_000_000

  // MARK: Connections

  func connectionCount(of principal: Int) -> Int {
    clients.count { $0.person == .known(principal) && $0.isThere && $0.goneTurn == .max }
  }

  func isFull(_ person: Person) -> Bool {
    guard case .known(let number) = person else { return false }
    let principal = configuration.principals.first { $0.name == Population.name(number) }
    return principal.map { connectionCount(of: number) >= $0.quotas.connections } ?? false
  }

  // MARK: Rates

  /// So long something may be paid for that took more than there was.
  private static let advanceMilliseconds = 11_000
  /// A bucket is full after so long.
  private static let secondMilliseconds = 1_000

  /// A valid request of a client is handled.
  mutating func countRequest(of client: Int) {
    guard let principal = clients[client].principal else { return }
    principals[principal].requests.append(nowMilliseconds)
  }

  mutating func countCancel(of client: Int) {
    guard let principal = clients[client].principal else { return }
    principals[principal].cancels.append(nowMilliseconds)
  }

  private func count(_ times: [Int], within milliseconds: Int) -> Int {
    times.reversed().prefix { $0 > nowMilliseconds - milliseconds }.count
  }

  /// Whether a rate may refuse a request: not if fewer came within a second than may.
  func isMaybeTooFast(_ number: Int, from client: Int) -> Bool {
    guard let principal = clients[client].principal, let quotas = quotas(of: client) else { return false }
    // What was taken at another rate may take longer to come back.
    if nowMilliseconds < reloadedMilliseconds + Self.advanceMilliseconds { return true }
    let came = count(principals[principal].requests, within: Self.secondMilliseconds)
    if quotas.requestsPerSecond > 0 && came >= quotas.requestsPerSecond { return true }
    guard quotas.supersessionsPerSecond > 0, records[number].lane >= 0 || !records[number].isClear else {
      return false
    }
    // One that supersedes, and one before it that did.
    return count(principals[principal].requests, within: Self.advanceMilliseconds) > 0
  }

  /// Whether a client's cancel may be refused.
  func mayRefuseCancel(of client: Int) -> Bool {
    guard let principal = clients[client].principal, let quotas = quotas(of: client) else { return false }
    guard quotas.cancelsPerSecond > 0 else { return false }
    return nowMilliseconds < reloadedMilliseconds + Self.advanceMilliseconds
      || count(principals[principal].cancels, within: Self.advanceMilliseconds) > 0
  }

  /// A request was not refused for its rate.
  mutating func noteTaken(_ number: Int) {
    let record = records[number]
    guard record.isClear, let principal = clients[record.client].principal else { return }
    let rate = bounds.requestsPerSecond
    let isWithin = Self.note(record.handledMilliseconds, in: &principals[principal].taken, rate: rate)
    expect(isWithin, "invariant 9: principal \(principal) sent more than \(rate) requests a second")
  }

  /// A task superseded something when it was admitted.
  mutating func noteSuperseding(_ task: Int) {
    let creator = tasks[task].creator
    guard creator != 0, tasks[task].callerCount == 1, records[creator].isClear, !tasks[task].isSuperseding,
      records[creator].supersedesOlder, let principal = clients[records[creator].client].principal
    else { return }
    tasks[task].isSuperseding = true
    let rate = bounds.supersessionsPerSecond
    let isWithin = Self.note(
      records[creator].handledMilliseconds, in: &principals[principal].superseding, rate: rate)
    expect(isWithin, "invariant 9: principal \(principal) superseded more than \(rate) a second")
  }

  /// A cancel was answered, and not refused.
  mutating func noteCancelled(_ number: Int) {
    guard let principal = clients[records[number].client].principal else { return }
    let rate = bounds.cancelsPerSecond
    let isWithin = Self.note(
      records[number].handledMilliseconds, in: &principals[principal].answeredCancels, rate: rate)
    expect(isWithin, "invariant 9: principal \(principal) cancelled more than \(rate) a second")
  }

  /// Whether no second has more events than a full bucket holds and is filled with in that second.
  private static func note(_ time: Int, in times: inout [Int], rate: Int) -> Bool {
    times.append(time)
    guard rate < .max else { return true }
    let behind = times.count { time <= $0 && $0 < time + secondMilliseconds }
    let before = times.count { time - secondMilliseconds < $0 && $0 <= time }
    return max(behind, before) <= 2 * rate
  }

  /// What an error says of when to come again.
  func checkRetry(_ reply: ReplyView, of number: Int) {
    guard let milliseconds = reply.retryAfterMilliseconds else { return }
    let isRight =
      reply.code == RPCError.overloaded.code && (1...Self.advanceMilliseconds).contains(milliseconds)
      && clients[records[number].client].principal != nil
    expect(isRight, "request \(number) got \(reply.code), and may come again after \(milliseconds) ms")
  }

  // MARK: Within bounds

  /// Of all that the connections of each principal had admitted.
  mutating func checkTasksOfPrincipals(_ core: inout GatewayCore, _ clients: ClientTable) {
    guard bounds.tasksPerPrincipal < World.tightBytes else { return }
    var counts: [Int: Int] = [:]
    for client in self.clients.indices {
      guard let principal = self.clients[client].principal else { continue }
      for task in self.clients[client].tasks where !isOver(task) {
        if isSurelyKnown(task) || isOpen(task, &core, clients) { counts[principal, default: 0] += 1 }
      }
    }
    for (principal, count) in counts.sorted(by: { $0.key < $1.key }) {
      expect(
        count <= bounds.tasksPerPrincipal, "invariant 9: principal \(principal) has \(count) tasks")
    }
  }

  /// Of all requests of each principal that wait for an answer.
  mutating func checkCallersOfPrincipals(_ core: inout GatewayCore, _ clients: ClientTable) {
    guard bounds.callersPerPrincipal < World.tightBytes else { return }
    var counts: [Int: Int] = [:]
    for client in clients.open {
      guard let principal = self.clients[client].principal else { continue }
      for number in self.clients[client].requests
      where records[number].isOwed && records[number].duty == .request && records[number].isClear {
        if openRequest(number, &core, clients) != nil { counts[principal, default: 0] += 1 }
      }
    }
    for (principal, count) in counts.sorted(by: { $0.key < $1.key }) {
      expect(
        count <= bounds.callersPerPrincipal, "invariant 9: principal \(principal) has \(count) callers")
    }
  }
}
