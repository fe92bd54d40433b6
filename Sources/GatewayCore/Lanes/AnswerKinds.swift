import HotData

/// Numbers for the kinds of answers that there are: the method, and whether it comes in pieces. Each while a task has it.
struct AnswerKinds: ~Copyable {
  private var names: KeyTable
  private var taskCounts = SlotArray(empty: UInt32(0), count: 0)

  /// - Parameter seed: random, as methods are what clients say.
  init(seed: UInt64) { names = KeyTable(seed: seed) }

  /// One task more has this kind.
  /// - Parameter method: as it stands in the message.
  /// - Returns: a number from 1 on.
  mutating func take(_ method: Span<UInt8>, streams: Bool) -> Int32 {
    let slot = names.intern(namespace: streams ? 1 : 0, method)
    taskCounts.reach(slot)
    taskCounts[slot] += 1
    return Int32(truncatingIfNeeded: slot + 1)
  }

  /// 0: no task has this kind.
  func find(_ method: Span<UInt8>, streams: Bool) -> Int32 {
    names.find(namespace: streams ? 1 : 0, method).map { Int32(truncatingIfNeeded: $0 + 1) } ?? 0
  }

  /// A task of this kind is no more.
  mutating func release(_ kind: Int32) {
    let slot = Int(kind) - 1
    taskCounts[slot] -= 1
    if taskCounts[slot] == 0 { names.release(slot) }
  }

  /// So many kinds are in use.
  var count: Int { names.count }
}
