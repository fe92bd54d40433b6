/// What a timer is about. Timers due together fire in this order, then by generation.
enum TimerPurpose: UInt64 { case deadline, grace, debounce, orphan }

/// One timer: a node in a run, which is a list of timers in the order in which they fire.
@usableFromInline
struct Timer: BitwiseCopyable {
  /// When it is due, above its purpose.
  private(set) var rank: UInt64 = 0
  private var generation: UInt64 = 0
  /// Callers of one task whose deadlines fall together expire in the order in which they came.
  private var arrival: UInt32 = 0
  /// The timer before it in its run, or, for the first of a run, where in the heap that is: -1 for the top, and so on.
  var previous: Int32 = 0
  var next: Int32 = 0
  /// Where its queue remembers the run that it was appended to.
  private(set) var line: Int32 = 0

  init() {}

  init(
    _ purpose: TimerPurpose, generation: UInt64, at dueMilliseconds: UInt64, arrival: UInt32, line: Int32
  ) {
    rank = dueMilliseconds << 2 | purpose.rawValue
    self.generation = generation
    self.arrival = arrival
    self.line = line
  }

  @inlinable
  static func dueMilliseconds(_ rank: UInt64) -> UInt64 { rank >> 2 }
  var purpose: TimerPurpose { TimerPurpose(rawValue: rank & 3)! }

  static func < (a: borrowing Timer, b: borrowing Timer) -> Bool {
    if a.rank != b.rank { return a.rank < b.rank }
    if a.generation != b.generation { return a.generation < b.generation }
    // They are counted round and round.
    return Int32(bitPattern: a.arrival &- b.arrival) < 0
  }
}
