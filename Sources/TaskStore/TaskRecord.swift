public import HotData

/// One admitted request as the store knows it: a node in its lane's list, oldest first.
@usableFromInline
struct TaskRecord: LinkedRecord {
  /// What of its lane a queued task waits for; in one byte, as each request writes it.
  struct Wait: Comparable, BitwiseCopyable {
    private let rawValue: UInt8

    private init(_ rawValue: UInt8) { self.rawValue = rawValue }

    static var nothing: Wait { Wait(0) }
    /// For the one running task that was spared; what drains is no matter to it.
    static var earlierLive: Wait { Wait(1) }
    /// For every earlier task, including draining ones, or for all started ones but some.
    /// - Parameter maxRunning: it starts behind fewer than so many.
    static func everyEarlier(maxRunning: UInt8) -> Wait { Wait(1 + maxRunning) }

    var isForEveryEarlier: Bool { rawValue > 1 }
    /// 1 or more for what waits for every earlier task, else nothing to go by.
    var maxRunning: UInt8 { rawValue > 1 ? rawValue - 1 : 1 }

    static func < (a: Wait, b: Wait) -> Bool { a.rawValue < b.rawValue }
  }

  var generation: UInt64 = 0
  /// When the first of the debounced tasks arrived that superseded each other, this one the last: the lower half of
  /// the number, which is enough for how long a burst can last.
  private(set) var burst: UInt32 = 0
  var drainMilliseconds: UInt32 = 0
  var previous: Int32 = 0
  @usableFromInline var next: Int32 = 0
  /// The oldest of them; what lies before it in their list is the newest.
  var firstWaiter: Int32 = 0
  var waiterCount: Int32 = 0
  /// The number of its key; -1: it has none.
  private var keyIndex: Int32 = -1
  @usableFromInline var reuse: UInt16 = 0
  @usableFromInline var state = TaskState.free
  var policy = DuplicatePolicy.cancel
  var waitsFor = Wait.nothing
  private var traits = Traits()

  init() {}

  /// A queued task without a waiter.
  init(_ request: Admission, generation: UInt64, reuse: UInt16) {
    self.generation = generation
    self.reuse = reuse
    drainMilliseconds = request.drainMilliseconds
    if let key = request.key { keyIndex = key.index }
    state = .queued
    policy = request.effectivePolicy
    if policy.waitsForEarlier { waitsFor = .everyEarlier(maxRunning: request.effectiveMaxRunning) }
    traits = Traits(of: request)
  }

  @inlinable var isFree: Bool { if case .free = state { true } else { false } }

  var key: TaskKey? { keyIndex < 0 ? nil : TaskKey(index: keyIndex) }

  /// Whether its lane holds no other, if it is in one.
  var isAlone: Bool { previous == 0 && next == 0 }

  /// Loses all its callers; returns the first of them.
  mutating func takeWaiters() -> Int32 {
    let first = firstWaiter
    (firstWaiter, waiterCount) = (0, 0)
    return first
  }

  /// The slot is free; ids of other generations no longer match it.
  mutating func end() {
    state = .free
    traits = []
    advanceReuse()
  }

  mutating func advanceReuse() { reuse = (reuse &+ 1) & UInt16(TaskID.reuseCount - 1) }
}

extension TaskRecord {
  /// What is true of a task or not.
  private struct Traits: OptionSet, BitwiseCopyable {
    static let notification = Traits(rawValue: 1)
    static let endsOnCancel = Traits(rawValue: 2)
    static let debounced = Traits(rawValue: 4)
    static let compensated = Traits(rawValue: 8)
    static let compensating = Traits(rawValue: 16)
    static let timed = Traits(rawValue: 32)
    static let ofBurst = Traits(rawValue: 64)
    static let ofKind = Traits(rawValue: 128)

    let rawValue: UInt8

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(of request: Admission) {
      self = []
      if request.isNotification {
        insert(.notification)
      } else if request.isCompensated {
        insert(.compensated)
      }
      if request.endsOnCancel { insert(.endsOnCancel) }
    }
  }

  /// Whether more depends on it than its lane: a timer, or a count of the store's.
  var isSpecial: Bool { !traits.isDisjoint(with: [.notification, .compensated, .timed]) }
  var isNotification: Bool { traits.contains(.notification) }
  var endsOnCancel: Bool { traits.contains(.endsOnCancel) }
  var isCompensated: Bool { traits.contains(.compensated) }
  /// It is known of what kind it is: callers may go from it to another, or come.
  var hasKind: Bool {
    get { traits.contains(.ofKind) }
    set { if newValue { traits.insert(.ofKind) } else { traits.remove(.ofKind) } }
  }
  /// It was to be debounced: its burst lasts until it starts, however long others hold it up.
  var isOfBurst: Bool { traits.contains(.ofBurst) }
  mutating func beginOrGoOnWithBurst(at milliseconds: UInt64) {
    traits.insert(.ofBurst)
    burst = UInt32(truncatingIfNeeded: milliseconds)
  }
  /// Queued until its timer fires, whatever its policy says.
  var isDebounced: Bool {
    get { traits.contains(.debounced) }
    set { if newValue { traits.insert(.debounced) } else { traits.remove(.debounced) } }
  }
  /// Queued, and held back by nothing but the bound on orphans.
  var isStartable: Bool { waitsFor == .nothing && !isDebounced }
  /// So many tasks of its lane may run at once.
  var maxRunning: UInt8 { waitsFor.maxRunning }
  /// A timer holds it back, or says how long it may drain.
  var hasTimer: Bool {
    get { traits.contains(.timed) }
    set { if newValue { traits.insert(.timed) } else { traits.remove(.timed) } }
  }
  /// What upstream works on now is not the task but its undoing.
  var isCompensating: Bool { traits.contains(.compensating) }
  /// Its undoing has a use of the slot, and thereby an id, of its own.
  mutating func beginCompensating() {
    traits.insert(.compensating)
    advanceReuse()
  }
  /// Whether its result, should there be one, has to be undone.
  var owesCompensation: Bool { state == .draining && isCompensated && !isCompensating }
}
