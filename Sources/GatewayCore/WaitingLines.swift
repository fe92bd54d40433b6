import HotData

/// Tasks that wait for an upstream at one level of priority: served in turn, one task of each account, and of an
/// account the oldest.
struct WaitingLine {
  /// The share whose turn it is; 0: nothing waits.
  @Compact fileprivate(set) var turn = 0

  var isEmpty: Bool { turn == 0 }
}

/// All waiting lines: their shares, and the tasks in these.
struct WaitingLines: ~Copyable {
  /// What one account has waiting in one line; the shares of a line stand in a ring.
  struct Share {
    var owner: Owner
    /// The oldest of its tasks.
    var top = 0
    var previous = 0
    var next = 0
  }

  /// Whose share of which line.
  struct Owner: Hashable {
    @Compact var account: Int
    @Compact var upstream: Int
    var level: Int

    static func == (a: Owner, b: Owner) -> Bool {
      a.account == b.account && a.upstream == b.upstream && a.level == b.level
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(account)
      hasher.combine(upstream << 8 | level)
    }
  }

  private var heaps = SlotHeaps()
  private var shares = Slab<Share>()
  private var shareOfOwner: [Owner: Int] = [:]
  /// By task.
  private var shareOfTask = SlotArray(empty: Int32(0))

  init() {
    // Number 0 is none.
    _ = shares.insert(Share(owner: Owner(account: -1, upstream: -1, level: 0)))
  }

  /// The task whose turn it is; the line must not be empty.
  func first(of line: WaitingLine) -> Int { shares[line.turn].top }

  /// - Parameter generation: of an account's tasks the lowest goes first.
  mutating func add(_ task: Int, generation: UInt64, of owner: Owner, to line: inout WaitingLine) {
    let share = shareOfOwner[owner] ?? addShare(of: owner, to: &line)
    shareOfTask.reach(task)
    shareOfTask[task] = Int32(truncatingIfNeeded: share)
    heaps.insert(task, rank: generation, into: &shares[share].top)
  }

  /// Takes out the task whose turn it is; then it is the next account's.
  mutating func takeFirst(of line: inout WaitingLine) -> Int {
    let task = first(of: line)
    let next = shares[line.turn].next
    remove(task, from: &line)
    if !line.isEmpty { line.turn = next }
    return task
  }

  /// Takes out a task of this line, out of turn.
  mutating func remove(_ task: Int, from line: inout WaitingLine) {
    let share = Int(shareOfTask[task])
    heaps.remove(task, from: &shares[share].top)
    if shares[share].top == 0 { removeShare(share, from: &line) }
  }

  // MARK: The ring

  /// Whoever comes is the last of the round.
  private mutating func addShare(of owner: Owner, to line: inout WaitingLine) -> Int {
    let share = shares.insert(Share(owner: owner))
    shareOfOwner[owner] = share
    let next = line.isEmpty ? share : line.turn
    let previous = line.isEmpty ? share : shares[next].previous
    shares[share].previous = previous
    shares[share].next = next
    shares[previous].next = share
    shares[next].previous = share
    line.turn = next
    return share
  }

  private mutating func removeShare(_ share: Int, from line: inout WaitingLine) {
    let (previous, next) = (shares[share].previous, shares[share].next)
    shares[previous].next = next
    shares[next].previous = previous
    if line.turn == share { line.turn = next == share ? 0 : next }
    shareOfOwner[shares[share].owner] = nil
    shares.remove(share)
  }
}
