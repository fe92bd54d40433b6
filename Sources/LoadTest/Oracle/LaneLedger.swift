import TaskStore

/// What is known of one key from one connection, as numbers of requests; 0: there is none.
struct LaneLedger: Sendable {
  /// Requests that supersede but may not have been admitted yet, as a list through the open ones.
  var firstSuperseding: UInt64 = 0
  var lastSuperseding: UInt64 = 0
  /// The newest that was surely admitted and supersedes.
  var superseder: UInt64 = 0
  /// The newest that was delivered and had to wait for all earlier ones.
  var deliveredInOrder: UInt64 = 0
  /// The newest that was delivered under `onAnswer`.
  var deliveredByAnswer: UInt64 = 0
  /// The newest that may supersede others, at admission or by its answer, and the newest `keepLatest`.
  var newestThreat: UInt64 = 0
  var newestKeepLatest: UInt64 = 0

  /// The newest with a key, of whatever policy.
  var newest: UInt64 = 0
  /// The newest with a result that superseded all earlier ones when it was admitted, and its arrival at upstream.
  private var arrived: (number: UInt64, arrival: UInt64) = (0, 0)

  mutating func sent(_ request: OpenRequest) {
    if request.policy != nil { newest = request.number }
    switch request.policy {
    case .cancel, .cancelAndWait, .onAnswer: newestThreat = request.number
    case .keepLatest: newestKeepLatest = request.number
    case .wait, .concurrent, .preferPrevious, nil: break
    }
  }

  /// A piece came: the first piece of an `onAnswer` request supersedes what its answer supersedes.
  mutating func gavePiece(_ request: OpenRequest) {
    if request.policy == .onAnswer { deliveredByAnswer = max(deliveredByAnswer, request.number) }
  }

  mutating func delivered(_ request: OpenRequest) {
    gavePiece(request)
    if request.policy?.waitsForEarlier == true { deliveredInOrder = max(deliveredInOrder, request.number) }
  }

  /// Notes the result of a request that named its order.
  /// - Returns: a newer request that was admitted before it, if it should have been refused as late.
  mutating func arrived(_ request: OpenRequest, as arrival: UInt64) -> UInt64? {
    if request.isRefusedWhenLate, arrived.number > request.number, arrived.arrival < arrival {
      return arrived.number
    }
    if request.supersedesAtAdmission, request.number > arrived.number {
      arrived = (request.number, arrival)
    }
    return nil
  }

  /// Whether a later request of this connection may have superseded it.
  func mayBeSuperseded(_ request: OpenRequest) -> Bool {
    newestThreat > request.number || request.policy == .keepLatest && newestKeepLatest > request.number
  }
}
