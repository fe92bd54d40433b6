import HotData
import TaskStore

/// Which request the tokens name by which an upstream of a client's own reports progress.
struct ProgressTokens {
  private struct Entry {
    var task: TaskID
    /// Counts the tokens that were added.
    var number: Int
  }

  /// By a hash of the token, the newest request that has it. Ended requests are kept for a while: upstream's late
  /// progress for them is dropped.
  private var entries: [UInt64: Entry] = [:]
  private var addedCount = 0
  /// So many of the newest tokens are kept, whatever has become of their requests.
  static let keptTokens = 256

  /// So many may be kept where so many tasks are there: more than they have.
  private static func limit(_ taskCount: Int) -> Int { 2 * keptTokens + 2 * AskedTokens.most * taskCount }

  var count: Int { entries.count }

  subscript(hash: UInt64) -> TaskID? { entries[hash]?.task }

  /// A request came that has this token.
  /// - Parameters:
  ///   - taskCount: so many tasks there are.
  ///   - isThere: whether a task is one of them.
  mutating func add(_ hash: UInt64, of task: TaskID, taskCount: Int, isThere: (TaskID) -> Bool) {
    if entries.count >= Self.limit(taskCount) {
      let oldest = addedCount - Self.keptTokens
      entries = entries.filter { $0.value.number > oldest || isThere($0.value.task) }
    }
    addedCount += 1
    entries[hash] = Entry(task: task, number: addedCount)
  }

  /// From now on it is a token of the upstream's own.
  mutating func forget(_ hash: UInt64) { if !entries.isEmpty { entries[hash] = nil } }
}
