import HotData
import TaskStore

/// Tasks that wait for one upstream, by level of priority: each level is served in turn, one task of each account, and
/// of an account the oldest.
struct WaitingLine {
  /// Levels of priority: 0 to one less.
  static let levels = 10

  /// The share whose turn it is, by level; 0: nobody's.
  private var turns = InlineArray<10, Int32>(repeating: 0)
  /// The levels at which it is somebody's turn, a bit each.
  private var levels: UInt16 = 0

  /// Whether it is anybody's turn: not if nothing waits, nor if all that waits is of accounts that may send no more.
  var hasTurn: Bool { levels != 0 }
  /// The highest level at which it is somebody's turn; there must be one.
  var firstLevel: Int { UInt16.bitWidth - 1 - levels.leadingZeroBitCount }

  fileprivate subscript(level: Int) -> Int {
    get { Int(turns[level]) }
    set {
      turns[level] = Int32(truncatingIfNeeded: newValue)
      let bit = UInt16(1) &<< UInt16(truncatingIfNeeded: level)
      levels = newValue == 0 ? levels & ~bit : levels | bit
    }
  }
}

/// All waiting lines: their shares, and the tasks in these.
struct WaitingLines: ~Copyable {
  /// The waiting tasks of one account at one level of a line. Shares that may go stand in a ring, one for each level.
  struct Share {
    let level: Int
    /// The oldest of its tasks.
    var top = 0
    /// Its neighbours in the ring; 0: it stands in none.
    var previous = 0
    var next = 0
    /// The next one of the same account in the same line.
    var sibling: Int
  }

  private var heaps = SlotHeaps()
  private var shares = Slab<Share>()
  /// By task.
  private var shareOfTask = SlotArray(empty: Int32(0))

  init() {
    // Number 0 is none.
    _ = shares.insert(Share(level: 0, sibling: 0))
  }

  /// The task whose turn it is; it must be somebody's.
  func first(of line: WaitingLine) -> Int { shares[line[line.firstLevel]].top }

  /// - Parameters:
  ///   - generation: of an account's tasks the lowest goes first.
  ///   - allotment: of the task's account at the line's upstream.
  mutating func add(
    _ task: Int, generation: UInt64, level: Int, to line: inout WaitingLine, of allotment: inout Allotment
  ) {
    let share = share(of: allotment, level: level) ?? addShare(level: level, to: &line, of: &allotment)
    shareOfTask.reach(task)
    shareOfTask[task] = Int32(truncatingIfNeeded: share)
    heaps.insert(task, rank: generation, into: &shares[share].top)
  }

  /// Takes out the task whose turn it is, whose account has this allotment; then it is the next account's.
  mutating func takeFirst(of line: inout WaitingLine, of allotment: inout Allotment) {
    let level = line.firstLevel
    let next = shares[line[level]].next
    remove(first(of: line), from: &line, of: &allotment)
    if line[level] != 0 { line[level] = next }
  }

  /// Takes out a task of this line, out of turn.
  mutating func remove(_ task: Int, from line: inout WaitingLine, of allotment: inout Allotment) {
    let share = Int(shareOfTask[task])
    heaps.remove(task, from: &shares[share].top)
    if shares[share].top == 0 { removeShare(share, from: &line, of: &allotment) }
  }

  /// An account may send more now, or no more: what it has waiting comes back as the last of the round, or leaves it.
  mutating func follow(_ allotment: Allotment, in line: inout WaitingLine) {
    var share = allotment.firstShare
    while share != 0 {
      let stands = shares[share].next != 0
      if stands != allotment.hasRoom {
        if stands { leaveRing(share, of: &line) } else { enterRing(share, of: &line) }
      }
      share = shares[share].sibling
    }
  }

  // MARK: Shares

  private func share(of allotment: Allotment, level: Int) -> Int? {
    var share = allotment.firstShare
    while share != 0, shares[share].level != level { share = shares[share].sibling }
    return share == 0 ? nil : share
  }

  private mutating func addShare(
    level: Int, to line: inout WaitingLine, of allotment: inout Allotment
  ) -> Int {
    let share = shares.insert(Share(level: level, sibling: allotment.firstShare))
    allotment.firstShare = share
    if allotment.hasRoom { enterRing(share, of: &line) }
    return share
  }

  private mutating func removeShare(
    _ share: Int, from line: inout WaitingLine, of allotment: inout Allotment
  ) {
    if shares[share].next != 0 { leaveRing(share, of: &line) }
    let sibling = shares[share].sibling
    if allotment.firstShare == share {
      allotment.firstShare = sibling
    } else {
      var before = allotment.firstShare
      while shares[before].sibling != share { before = shares[before].sibling }
      shares[before].sibling = sibling
    }
    shares.remove(share)
  }

  // MARK: The ring

  /// Whoever comes is the last of the round.
  private mutating func enterRing(_ share: Int, of line: inout WaitingLine) {
    let turn = line[shares[share].level]
    let next = turn == 0 ? share : turn
    let previous = turn == 0 ? share : shares[next].previous
    shares[share].previous = previous
    shares[share].next = next
    shares[previous].next = share
    shares[next].previous = share
    line[shares[share].level] = next
  }

  private mutating func leaveRing(_ share: Int, of line: inout WaitingLine) {
    let (previous, next) = (shares[share].previous, shares[share].next)
    shares[previous].next = next
    shares[next].previous = previous
    (shares[share].previous, shares[share].next) = (0, 0)
    let level = shares[share].level
    if line[level] == share { line[level] = next == share ? 0 : next }
  }
}
