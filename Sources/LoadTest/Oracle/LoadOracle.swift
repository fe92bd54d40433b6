/// Judges, while the load runs, whether the replies can be right.
///
/// It relies on two orders that a gateway must keep: requests of one connection are admitted as they were sent, and
/// replies come as they were committed. So once request r has been answered, all earlier requests of its connection
/// were admitted, and a result of a request that one of them superseded is stale. Between connections there is no such
/// order: there a result tells its own arrival at upstream, and the newest arrival that upstream knew then. A client's
/// POSTs have no order either, as each has its own connection: they have an `order`, and under most policies the
/// gateway refuses one that comes behind a newer one.
///
/// If a key has several open requests, nothing supersedes the one that is admitted last, in whatever order they arrive:
/// so they must not all have been superseded.
package struct LoadOracle: Sendable {
  /// For how many sessions and keys a gateway surely remembers the order: a quarter of the default of `orders`.
  package static let orderedLaneLimit = 25_000

  package internal(set) var open = OpenRequests()
  private let keys: Int
  private let sharesKeys: Bool
  /// Of each connection: whether requests are admitted as they were sent.
  private let keepsOrder: [Bool]
  /// Whether requests of different keys are admitted as they were sent. Not so if a gateway has several loops: there
  /// only requests of one key are.
  private let ordersKeys: Bool
  /// Of each connection, or of each of its keys where these have no order, the newest request that was answered.
  private var newestAnswered: [UInt64]
  /// Of each connection, the newest that was sent.
  private var newestSent: [UInt64]
  /// Whether a connection was opened again: requests of its old connection have no order with those of the new one.
  private var hasBegunAnew = false
  private var lanes: [LaneLedger]
  /// With several loops: requests that were refused, and so may have superseded nothing, each with the next request of
  /// its lane.
  private var refused: [UInt64: (next: UInt64, lane: Int)] = [:]
  var ledgers: [KeyLedger]

  /// - Parameters:
  ///   - keys: how many each connection has, or all together when they share keys.
  ///   - keepsOrder: whether the requests of each connection have an order; nil: all have.
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

  /// The client cancels a request.
  /// - Returns: whether it was open.
  package mutating func cancelled(_ number: UInt64, on connection: Int, at nanoseconds: UInt64 = 0) -> Bool {
    let mark = newestSent[connection]
    let change = { (request: inout OpenRequest) in
      request.cancelledAfter = mark
      request.cancelledNanoseconds = nanoseconds
    }
    return open.update(number, change) != nil
  }

  /// The client itself ended a connection: its open requests get no reply.
  /// - Returns: how many requests were open.
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

  /// Takes the request and judges the reply, for a caller that does not need the request itself.
  package mutating func received(_ reply: OracleReply, to number: UInt64, on connection: Int) -> Violation? {
    guard let request = take(number, on: connection) else { return .unexpectedReply(number: number) }
    return judge(reply, to: request)
  }

  /// Whether it has a key and is the newest request of that.
  package func isNewest(_ request: OpenRequest) -> Bool {
    request.policy != nil && ledgers[ledger(of: request)].newest == request.number
  }

  /// Judges the reply to a request that was taken.
  package mutating func judge(_ reply: OracleReply, to request: OpenRequest) -> Violation? {
    let wasSuperseded = reply == .superseded || reply == .cancelled && request.cancelledAfter == 0
    let somebodyWon = ledgers[ledger(of: request)].ended(request, wasSuperseded: wasSuperseded)
    if let violation = judgeAlone(reply, to: request) { return violation }
    // The request that was admitted last may be one of a connection that was opened again.
    return somebodyWon || hasBegunAnew ? nil : .nobodyWon(number: request.number)
  }

  private mutating func judgeAlone(_ reply: OracleReply, to request: OpenRequest) -> Violation? {
    confirm(request, wasAdmitted: reply != .refused)
    if reply == .refused { mayNotHaveBeenAdmitted(request) }
    let order = order(of: request)
    let answered = newestAnswered[order]
    // With several loops, the client's loop may have refused it, which tells nothing about the loop that has its key.
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
    // With several loops, the client's loop may have refused it, while earlier requests are still on their way to
    // another.
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

  /// The index in `newestAnswered` for a request: that of its connection, or of its lane.
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
