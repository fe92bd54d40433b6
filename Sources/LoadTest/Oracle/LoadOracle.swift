/// Judges, while the load runs, whether the replies can be right.
///
/// It relies on two orders that a gateway must keep: requests of one connection are admitted as they were sent, and
/// replies come as they were committed. So once request r has been answered, all earlier requests of its connection
/// were admitted, and a result of a request that one of them superseded is stale. Between connections there is no such
/// order: there a result says its own arrival at upstream, and the newest arrival that upstream knew then. A client's
/// POSTs have no order either, as each has its own connection: they name their order, and under most policies none is
/// sent on behind a newer one.
///
/// If a key has several open requests, nothing supersedes the one that is admitted last, in whatever order they arrive:
/// so they must not all have been superseded.
package struct LoadOracle: Sendable {
  /// Of more sessions and keys a gateway need not remember the order: a quarter of what `orders` is by default.
  package static let orderedLaneLimit = 25_000

  package internal(set) var open = OpenRequests()
  private let keys: Int
  private let sharesKeys: Bool
  /// Of each connection: whether requests are admitted as they were sent.
  private let keepsOrder: [Bool]
  /// Where a gateway has several loops, only requests of one key are admitted as they were sent.
  private let ordersKeys: Bool
  /// Of each connection, or of each of its keys where these have no order, the newest request that was answered.
  private var newestAnswered: [UInt64]
  /// Of each connection, the newest that was sent.
  private var newestSent: [UInt64]
  /// Connections that began anew: what the gateway admits of the old ones has no order with the new ones' requests.
  private var hasBegunAnew = false
  private var lanes: [LaneLedger]
  /// Of several loops: what superseded nothing as far as is known, for it was refused, and what follows it in its lane.
  private var refused: [UInt64: (next: UInt64, lane: Int)] = [:]
  var ledgers: [KeyLedger]

  /// - Parameters:
  ///   - keys: of each connection, or of all together when they are shared.
  ///   - keepsOrder: of each connection, whether its requests have an order; nil: all have.
  ///   - ordersKeys: whether a connection's requests of different keys have one, too.
  package init(
    connections: Int, keys: Int, sharesKeys: Bool = false, keepsOrder: [Bool]? = nil, ordersKeys: Bool = true
  ) {
    self.ordersKeys = ordersKeys
    self.keepsOrder = keepsOrder ?? Array(repeating: true, count: connections)
    self.keys = keys
    self.sharesKeys = sharesKeys
    newestAnswered = Array(repeating: 0, count: ordersKeys ? connections : connections * keys)
    newestSent = Array(repeating: 0, count: connections)
    lanes = Array(repeating: LaneLedger(), count: connections * keys)
    ledgers = Array(repeating: KeyLedger(), count: sharesKeys ? keys : connections * keys)
  }

  // MARK: What the client does

  /// A request is sent; numbers rise.
  package mutating func sent(_ request: OpenRequest) {
    let lane = lane(of: request)
    if request.supersedesAtAdmission {
      if keepsOrder[Int(request.connection)] { append(request, to: lane) }
      supersedeOlder(by: request)
    }
    lanes[lane].sent(request)
    ledgers[ledger(of: request)].sent(request)
    newestSent[Int(request.connection)] = request.number
    open.insert(linked(request))
  }

  private mutating func append(_ request: OpenRequest, to lane: Int) {
    let (number, last) = (request.number, lanes[lane].lastSuperseding)
    if open.update(last, { $0.nextSuperseding = number }) == nil { refused[last]?.next = number }
    lanes[lane].lastSuperseding = number
    if lanes[lane].firstSuperseding == 0 { lanes[lane].firstSuperseding = number }
  }

  /// The client takes a request back.
  /// - Returns: whether it was open.
  package mutating func cancelled(_ number: UInt64, on connection: Int, at nanoseconds: UInt64 = 0) -> Bool {
    let mark = newestSent[connection]
    let change = { (request: inout OpenRequest) in
      request.cancelledAfter = mark
      request.cancelledNanoseconds = nanoseconds
    }
    return open.update(number, change) != nil
  }

  /// The client itself ended a connection: nobody answers what was open on it.
  /// - Returns: how many requests that were.
  package mutating func beganAnew(_ connection: Int) -> Int {
    hasBegunAnew = true
    if ordersKeys { newestAnswered[connection] = 0 }
    if !refused.isEmpty { refused = refused.filter { $0.value.lane / keys != connection } }
    for lane in connection * keys..<(connection + 1) * keys {
      lanes[lane] = LaneLedger()
      if !ordersKeys { newestAnswered[lane] = 0 }
    }
    let numbers = open.numbers(of: connection)
    for number in numbers {
      guard let request = take(number, on: connection) else { continue }
      _ = ledgers[ledger(of: request)].ended(request, wasSuperseded: false)
      mayNotHaveBeenAdmitted(request)
    }
    return numbers.count
  }

  // MARK: What it hears

  /// Removes the open request that a reply is for; nil: there is none.
  package mutating func take(_ number: UInt64, on connection: Int) -> OpenRequest? {
    guard var request = open.remove(number) else { return nil }
    guard request.connection == Int32(connection) else {
      open.insert(request)
      return nil
    }
    unlink(&request)
    return request
  }

  /// Both at once, for a caller that needs nothing else of the request.
  package mutating func received(_ reply: OracleReply, to number: UInt64, on connection: Int) -> Violation? {
    guard let request = take(number, on: connection) else { return .unexpectedReply(number: number) }
    return judge(reply, to: request)
  }

  /// Whether it has a key, of which nothing was sent after it.
  package func isNewest(_ request: OpenRequest) -> Bool {
    request.policy != nil && ledgers[ledger(of: request)].newest == request.number
  }

  /// Judges the reply to a request that was taken.
  package mutating func judge(_ reply: OracleReply, to request: OpenRequest) -> Violation? {
    let wasSuperseded = reply == .superseded || reply == .cancelled && request.cancelledAfter == 0
    let somebodyWon = ledgers[ledger(of: request)].ended(request, wasSuperseded: wasSuperseded)
    if let violation = judgeAlone(reply, to: request) { return violation }
    // A connection that began anew may have had the request that was admitted last.
    return somebodyWon || hasBegunAnew ? nil : .nobodyWon(number: request.number)
  }

  private mutating func judgeAlone(_ reply: OracleReply, to request: OpenRequest) -> Violation? {
    confirm(request, wasAdmitted: reply != .refused)
    if reply == .refused { mayNotHaveBeenAdmitted(request) }
    let order = order(of: request)
    let answered = newestAnswered[order]
    // Of several loops its client's may have refused it, which says nothing of what the one with its key has admitted.
    if ordersKeys || reply != .refused { newestAnswered[order] = max(answered, request.number) }
    switch reply {
    case .refused, .failed: return nil
    case .cancelled where request.cancelledAfter != 0: return nil
    case .cancelled, .superseded:
      return mayBeSuperseded(request) ? nil : .supersededByNothing(number: request.number)
    case .result(let claims): return judge(claims, request, answeredBefore: answered)
    }
  }

  private func mayBeSuperseded(_ request: OpenRequest) -> Bool {
    let keepsOrder = keepsOrder[Int(request.connection)]
    let lane = lane(of: request)
    if !keepsOrder, request.isRefusedWhenLate, lanes[lane].newest > request.number { return true }
    return sharesKeys || hasBegunAnew || !keepsOrder
      ? ledgers[ledger(of: request)].mayBeSuperseded(request) : lanes[lane].mayBeSuperseded(request)
  }

  private mutating func judge(
    _ claims: ResultClaims, _ request: OpenRequest, answeredBefore: UInt64
  ) -> Violation? {
    let (number, lane) = (request.number, lane(of: request))
    let keepsOrder = keepsOrder[Int(request.connection)]
    defer { if keepsOrder { lanes[lane].delivered(request) } }
    if let claimed = claims.number, claimed != number { return .wrongAnswer(number: number) }
    guard keepsOrder else {
      let arrival = lanes.count <= Self.orderedLaneLimit ? claims.arrival : nil
      let newer = arrival.flatMap { lanes[lane].arrived(request, as: $0) }
      return newer.map { .late(number: number, newer: $0) } ?? Self.overtaken(claims, number)
    }
    if request.cancelledAfter != 0, answeredBefore > request.cancelledAfter {
      return .deliveredAfterCancel(number: number)
    }
    guard request.policy != nil else { return nil }
    if let violation = staleness(of: number, in: lane) ?? Self.overtaken(claims, number) { return violation }
    if lanes[lane].deliveredInOrder > number {
      return .outOfOrder(number: number, after: lanes[lane].deliveredInOrder)
    }
    return nil
  }

  /// Whether a newer request of its key has superseded it, as far as its connection can know.
  private func staleness(of number: UInt64, in lane: Int) -> Violation? {
    let (superseder, delivered) = (lanes[lane].superseder, lanes[lane].deliveredByAnswer)
    let newer = superseder > number ? superseder : delivered
    return newer > number ? .stale(number: number, newer: newer) : nil
  }

  mutating func judgePiece(_ claims: ResultClaims, _ request: OpenRequest) -> Violation? {
    if request.policy != nil, keepsOrder[Int(request.connection)] {
      let (number, lane) = (request.number, lane(of: request))
      if let violation = staleness(of: number, in: lane) { return violation }
      lanes[lane].gavePiece(request)
    }
    return Self.overtaken(claims, request.number)
  }

  /// Only requests with keys have arrivals.
  private static func overtaken(_ claims: ResultClaims, _ number: UInt64) -> Violation? {
    guard let arrival = claims.arrival, let newest = claims.newest, newest > arrival else { return nil }
    return .overtaken(number: number, arrival: arrival, newest: newest)
  }

  /// Notes what superseded requests in the lane: requests that were sent before one that was answered earlier.
  private mutating func confirm(_ request: OpenRequest, wasAdmitted: Bool) {
    guard keepsOrder[Int(request.connection)] else { return }
    let lane = lane(of: request)
    // Of several loops its client's may have refused it: others that were sent before it may be on their way.
    guard ordersKeys || wasAdmitted else {
      if request.supersedesAtAdmission { refused[request.number] = (request.nextSuperseding, lane) }
      return
    }
    let answered = max(
      newestAnswered[order(of: request)], request.supersedesAtAdmission ? request.number : 0)
    while true {
      let first = lanes[lane].firstSuperseding
      guard first != 0, first <= answered else { return }
      let isItself = first == request.number
      let passed = ordersKeys ? nil : refused.removeValue(forKey: first)
      if passed == nil, !isItself || wasAdmitted { lanes[lane].superseder = first }
      let next =
        isItself ? request.nextSuperseding : passed?.next ?? open.update(first) { $0.nextSuperseding } ?? 0
      lanes[lane].firstSuperseding = next
      if next == 0 { lanes[lane].lastSuperseding = 0 }
    }
  }

  /// What has an order with a request.
  private func order(of request: OpenRequest) -> Int {
    ordersKeys ? Int(request.connection) : lane(of: request)
  }

  private func lane(of request: OpenRequest) -> Int {
    Int(request.connection) * keys + Int(request.key)
  }

  func ledger(of request: OpenRequest) -> Int {
    sharesKeys ? Int(request.key) : lane(of: request)
  }
}
