package import TaskStore

/// Judges, while the load runs, whether the replies on one connection can be right.
///
/// It relies on two orders that a gateway must keep: requests of one connection are admitted as they were sent,
/// and replies come as they were committed. So once request r has been answered, everything sent before r was
/// admitted; a result of a request that one of those superseded is stale. Keys belong to one connection.
package struct ConnectionOracle {
  package enum Violation: Hashable, Sendable {
    /// A reply to nothing: never asked, or answered before.
    case unexpectedReply(sequence: UInt64)
    /// A result came although a newer request of the key had surely superseded it.
    case stale(sequence: UInt64, newer: UInt64)
    /// The result of another request.
    case wrongAnswer(sequence: UInt64)
    /// `wait` answered out of order.
    case outOfOrder(sequence: UInt64, after: UInt64)
    /// Superseded, and nothing newer was asked.
    case supersededByNothing(sequence: UInt64)
    /// Still unanswered long after the last request.
    case neverAnswered(count: Int)
  }

  package enum Reply: Hashable, Sendable { case result, superseded, otherError }

  private struct Open {
    var key: Int
    var sentNanoseconds: UInt64
    /// The next request of the key, 0 while there is none.
    var newer: UInt64 = 0
  }

  private let policy: DuplicatePolicy?
  private var open: [UInt64: Open] = [:]
  private var newestOfKey: [UInt64]
  private var newestDelivered: [UInt64]
  private var newestAnswered: UInt64 = 0

  /// - Parameter policy: that of every request; nil when they carry no key.
  package init(policy: DuplicatePolicy?, keys: Int) {
    self.policy = policy
    newestOfKey = Array(repeating: 0, count: keys)
    newestDelivered = Array(repeating: 0, count: keys)
  }

  package var openCount: Int { open.count }

  /// A request is sent; sequence numbers rise from 1.
  package mutating func sent(_ sequence: UInt64, key: Int, at nanoseconds: UInt64 = 0) {
    open[newestOfKey[key]]?.newer = sequence
    newestOfKey[key] = sequence
    open[sequence] = Open(key: key, sentNanoseconds: nanoseconds)
  }

  /// When an open request was sent.
  package func sentNanoseconds(of sequence: UInt64) -> UInt64? { open[sequence]?.sentNanoseconds }

  package mutating func received(_ reply: Reply, to sequence: UInt64, echo: UInt64?) -> Violation? {
    guard let request = open.removeValue(forKey: sequence) else {
      return .unexpectedReply(sequence: sequence)
    }
    defer { newestAnswered = max(newestAnswered, sequence) }
    switch reply {
    case .otherError: return nil
    case .superseded: return request.newer == 0 ? .supersededByNothing(sequence: sequence) : nil
    case .result:
      if let echo, echo != sequence { return .wrongAnswer(sequence: sequence) }
      return judge(sequence, request)
    }
  }

  private mutating func judge(_ sequence: UInt64, _ request: Open) -> Violation? {
    let delivered = newestDelivered[request.key]
    newestDelivered[request.key] = max(delivered, sequence)
    switch policy {
    case .cancel, .cancelAndWait:
      guard request.newer != 0, request.newer <= newestAnswered else { return nil }
      return .stale(sequence: sequence, newer: request.newer)
    case .onAnswer:
      return delivered > sequence ? .stale(sequence: sequence, newer: delivered) : nil
    case .wait, .keepLatest:
      return delivered > sequence ? .outOfOrder(sequence: sequence, after: delivered) : nil
    case .concurrent, .preferPrevious, nil:
      return nil
    }
  }
}

extension ConnectionOracle.Violation: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unexpectedReply(let sequence): "a reply to request \(sequence), which was not open"
    case .stale(let sequence, let newer): "a stale result of request \(sequence): \(newer) had superseded it"
    case .wrongAnswer(let sequence): "request \(sequence) got the result of another"
    case .outOfOrder(let sequence, let after): "the result of request \(sequence) came after that of \(after)"
    case .supersededByNothing(let sequence): "request \(sequence) was superseded, but nothing newer was asked"
    case .neverAnswered(let count): "\(count) requests were never answered"
    }
  }
}
