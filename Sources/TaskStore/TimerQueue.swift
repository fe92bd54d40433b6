import HotData

/// The timers of tasks and waiters, earliest first: runs of timers in order, and a heap of the runs' first ones.
///
/// Nearly all timers run for one of a few durations, and those of one duration are set in the order in which they
/// fire: they make one run, where setting and clearing touch nothing but neighbours. One that fits at the end of
/// no run that is tried begins its own, so that whatever the durations no step costs more than the heap's.
struct TimerQueue: ~Copyable {
  private var timers = RecordTable(empty: Timer())
  /// The first timer of each run.
  private var heap = RecordArray<Int32>()
  /// The timer that was set last of each class of durations, while it is the last of its run; or 0.
  private var lastInLine = RecordArray<Int32>(repeating: 0, count: 64)
  private var lastArrival: UInt32 = 0

  /// The same timers under the same names once more.
  func copy() -> TimerQueue {
    var copy = TimerQueue()
    copy.timers = timers.copy()
    copy.heap = heap.copy()
    copy.lastInLine = lastInLine.copy()
    copy.lastArrival = lastArrival
    return copy
  }

  var isEmpty: Bool { timers.count == 0 }
  var count: Int { timers.count }
  /// When the next timer is due; there must be one.
  var nextDueMilliseconds: UInt64 { timers[heap[0]].dueMilliseconds }
  /// What it is about, and whose it is.
  var next: (purpose: TimerPurpose, owner: Int32) { (timers[heap[0]].purpose, timers[heap[0]].owner) }

  /// Sets a timer, and names it.
  mutating func set(
    _ purpose: TimerPurpose, of owner: Int32, generation: UInt64, after milliseconds: UInt64, now: UInt64
  ) -> Int32 {
    lastArrival &+= 1
    let slot = timers.take()
    let line = Self.line(purpose, milliseconds)
    timers[slot] = Timer(
      purpose, of: owner, generation: generation, at: now + milliseconds, arrival: lastArrival, line: line)
    let last = lastInLine[line]
    if last != 0, timers[last] < timers[slot] { append(slot, behind: last) } else { beginRun(slot) }
    lastInLine[line] = slot
    return slot
  }

  /// Durations that differ rarely share a line; where they do, their runs are shorter.
  private static func line(_ purpose: TimerPurpose, _ milliseconds: UInt64) -> Int32 {
    Int32(truncatingIfNeeded: ((milliseconds << 2 | purpose.rawValue) &* 0x9e37_79b9_7f4a_7c15) >> 58)
  }

  private mutating func append(_ slot: Int32, behind last: Int32) {
    timers[last].next = slot
    timers[slot].previous = last
  }

  private mutating func beginRun(_ slot: Int32) {
    heap.append(slot)
    siftUp(slot, from: Int32(truncatingIfNeeded: heap.count - 1))
  }

  mutating func clear(_ slot: Int32) {
    let (previous, next) = (timers[slot].previous, timers[slot].next)
    if next == 0 { leaveLine(slot) } else { timers[next].previous = previous }
    if previous > 0 {
      timers[previous].next = next
    } else if next != 0 {
      siftDown(next, from: ~previous)
    } else {
      removeFromHeap(~previous)
    }
    timers.free(slot)
  }

  private mutating func leaveLine(_ slot: Int32) {
    let line = timers[slot].line
    if lastInLine[line] == slot { lastInLine[line] = max(0, timers[slot].previous) }
  }

  // MARK: The heap

  private mutating func removeFromHeap(_ place: Int32) {
    let last = heap.removeLast()
    guard place < heap.count else { return }
    siftUp(last, from: place)
    siftDown(last, from: ~timers[last].previous)
  }

  private mutating func siftUp(_ slot: Int32, from start: Int32) {
    var place = start
    while place > 0, timers[slot] < timers[heap[(place - 1) / 2]] {
      put(heap[(place - 1) / 2], at: place)
      place = (place - 1) / 2
    }
    put(slot, at: place)
  }

  private mutating func siftDown(_ slot: Int32, from start: Int32) {
    let end = Int32(truncatingIfNeeded: heap.count)
    var place = start
    while 2 * place + 1 < end {
      var child = 2 * place + 1
      if child + 1 < end, timers[heap[child + 1]] < timers[heap[child]] { child += 1 }
      guard timers[heap[child]] < timers[slot] else { break }
      put(heap[child], at: place)
      place = child
    }
    put(slot, at: place)
  }

  private mutating func put(_ slot: Int32, at place: Int32) {
    heap[place] = slot
    timers[slot].previous = ~place
  }
}
