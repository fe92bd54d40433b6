import HotData
import JSONRPC
import TaskStore

/// What is known of a task's request beside the store.
struct Request {
  @Compact var methodBytes = 0
  /// The router's number of the method that undoes it, or -1.
  @Compact var compensation = -1
  /// The account that it counts for; -1: there is no task.
  @Compact var account = -1
  var admitted = Moment(0)
  /// How long its first caller waits from its admission on.
  var timeoutMilliseconds: UInt32 = 0
  private var traits = Bits<UInt16>()

  /// Where the params begin in what is kept of what it asks.
  var paramsStart: Int { methodBytes + MessageWriter.beforeParams.utf8CodeUnitCount }

  /// The time left to its first caller: never 0, which would be no time at all, nor more than can be sent.
  func remainingMilliseconds(at nowMilliseconds: UInt64) -> UInt64 {
    guard timeoutMilliseconds < Admission.unlimited else { return Self.longestMilliseconds }
    let passed = admitted.age(at: nowMilliseconds)
    return max(UInt64(timeoutMilliseconds), passed + 1) - passed
  }

  /// The longest duration of the protocol.
  private static let longestMilliseconds: UInt64 = 3_600_000

  /// Whether it is in a list, of its account's or another.
  @inline(__always) var isListed: Bool {
    isUnsentNotification || hasLongDrain || isOrdered || isInPartition || isOfKind
  }
}

extension Request {
  /// It is among those of its account that would go with its connection.
  var isUnsentNotification: Bool {
    get { traits[1] }
    set { traits[1] = newValue }
  }
  /// It may drain for longer than the operator has it, while its client is there.
  var hasLongDrain: Bool {
    get { traits[2] }
    set { traits[2] = newValue }
  }
  /// It is in the table of orders.
  var isOrdered: Bool {
    get { traits[32] }
    set { traits[32] = newValue }
  }
  /// Upstream has been spared it, and that is counted.
  var isSpared: Bool {
    get { traits[4] }
    set { traits[4] = newValue }
  }
  /// A caller gets its answer in an array with others.
  var isBatched: Bool {
    get { traits[8] }
    set { traits[8] = newValue }
  }
  /// It counts for a partition of a fleet.
  var isInPartition: Bool {
    get { traits[64] }
    set { traits[64] = newValue }
  }
  /// Its callers take its answer in pieces.
  var isStreaming: Bool {
    get { traits[128] }
    set { traits[128] = newValue }
  }
  /// It is known of what kind its answer is.
  var isOfKind: Bool {
    get { traits[256] }
    set { traits[256] = newValue }
  }
  /// It may have a key, so that others may join it while it runs.
  var isKeyed: Bool {
    get { traits[16] }
    set { traits[16] = newValue }
  }
}
