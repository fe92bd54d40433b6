import GatewayCore
import HotData
import Simulation
import TaskStore

/// What one seed's histories are made of: some kinds of events never happen, others often.
struct Swarm {
  enum Kind: CaseIterable {
    case submit, notification, finished, error, failed, cancelled, cancelledTogether, cancelledLane,
      disconnected, leftBehind, nextTimer, time, piece
  }

  /// Each kind as often as it is likely.
  private(set) var kinds: [Kind]
  private(set) var policies: [DuplicatePolicy]
  private(set) var keys: [Int?]
  private(set) var timeouts: [UInt32]
  private(set) var drains: [UInt32]
  private(set) var debounces: [UInt32]
  private(set) var maxWaits: [UInt32]
  private(set) var maxStales: [UInt32]
  private(set) var maxRunnings: [UInt8]
  /// One request in so many is undone when it succeeds too late.
  private(set) var oneInCompensated: Int
  private(set) var joins: [JoinRule?]
  /// One request in so many ends with its cancel, and one `preferPrevious` in so many asks something else.
  private(set) var oneInEndsOnCancel: Int
  private(set) var oneInAsksOther: Int
  /// Kinds of answers, and one request in so many of those that say one follows.
  private(set) var answerKinds: [Int32]
  private(set) var oneInFollows: Int
  private(set) var limits = StoreLimits()

  init(using random: inout SplitMix64) {
    kinds = [.submit, .submit, .submit]
    for kind in Kind.allCases where !random.oneIn(3) {
      kinds += Array(repeating: kind, count: 1 + random.below(6))
    }
    policies = DuplicatePolicy.allCases.filter { _ in !random.oneIn(3) }
    if policies.isEmpty { policies = [.cancel] }
    keys = (0...random.below(4)).map { $0 }
    if random.oneIn(4) { keys.append(nil) }
    timeouts = random.pick([[60_000], [1_000, 60_000], [0, 1, 2, 50], [5_000]])
    drains = random.pick([[5_000], [0], [1, 50, 5_000]])
    debounces = random.pick([[0], [0], [0, 20], [10, 300]])
    maxWaits = random.pick([[0], [400], [0, 301]])
    maxStales = random.pick([[0], [0, 100], [1, 3_000]])
    maxRunnings = random.pick([[1], [2], [1, 2, 3], [5]])
    oneInCompensated = random.pick([1, 4, .max, .max])
    joins = random.pick([[nil], [nil, .identical], [.identical], [.always, .never]])
    oneInEndsOnCancel = random.pick([1, 2, 10, .max])
    oneInAsksOther = random.pick([2, 5, .max])
    var aside = random
    answerKinds = aside.pick([[0], [1], [1, 1, 2], [0, 1]])
    oneInFollows = aside.pick([1, 2, .max])
    limits.callersPerTask = aside.pick([1, 2, 5, 1_024])
    limits.tasksPerLane = aside.pick([1, 2, 5, 4_096])
    limits.tasks = random.pick([2, 5, 30, 1_000])
    limits.waiters = random.pick([2, 5, 30, 1_000])
    limits.queuePerLane = random.pick([1, 2, 64])
    limits.orphansPerLane = random.pick([1, 2, 4])
    limits.compensationMilliseconds = random.pick([1, 1_000, 60_000])
    limits.orphanMilliseconds = random.pick([1, 1_000, 60_000])
  }
}
