import HotData

/// The timers of tasks or of waiters, by whose they are, earliest first: runs of timers in order, and a heap of the
/// runs' first ones.
///
/// Nearly all timers run for one of a few durations, and those of one duration are set in the order in which they fire:
/// they make one run, where setting and clearing touch nothing but neighbours. A timer that fits at the end of none of
/// the runs that are tried begins its own. So no step costs more than one of the heap, whatever the durations.
@usableFromInline
struct TimerQueue: ~Copyable {
  /// By the slot of the task or waiter.
  private var timers = RecordArray<Timer>()
  /// The first timer of each run.
  private var heap = RecordArray<Int32>()
  /// The timer that was set last of each class of durations, while it is the last of its run; or 0.
  private var lastInLine = RecordArray<Int32>(repeating: 0, count: 64)
  private var lastArrival: UInt32 = 0
  @usableFromInline private(set) var count = 0
  /// When the next timer is due, and what it is about; the largest number if there is none.
  @usableFromInline private(set) var nextRank = UInt64.max

  /// The same timers once more.
  func copy() -> TimerQueue {
    var copy = TimerQueue()
    copy.timers = timers.copy()
    copy.heap = heap.copy()
    copy.lastInLine = lastInLine.copy()
    (copy.lastArrival, copy.count, copy.nextRank) = (lastArrival, count, nextRank)
    return copy
  }

  /// Gives back what it grew to; there must be no timer.
  mutating func giveBackMemory() {
    precondition(count == 0, "a timer would be forgotten")
    self = TimerQueue()
  }

  var isEmpty: Bool { heap.count == 0 }
  /// The slot whose timer is due next; there must be one.
  var next: Int32 { heap[0] }
  var nextPurpose: TimerPurpose { timers[heap[0]].purpose }

  /// The purpose of a slot's timer, which must be set, and when it is due.
  func state(of slot: Int32) -> (purpose: TimerPurpose, dueMilliseconds: UInt64) {
    (timers[slot].purpose, Timer.dueMilliseconds(timers[slot].rank))
  }

  /// Sets the timer of one that has none.
  @inline(__always)
  mutating func set(
    _ purpose: TimerPurpose, of slot: Int32, generation: UInt64, after milliseconds: UInt64, now: UInt64
  ) {
    while timers.count <= slot { timers.append(Timer()) }
    lastArrival &+= 1
    count &+= 1
    let line = Self.line(purpose, milliseconds)
    var timer = Timer(
      purpose, generation: generation, at: now + milliseconds, arrival: lastArrival, line: line)
    let last = lastInLine[line]
    lastInLine[line] = slot
    if last != 0, timers[last] < timer {
      timers[last].next = slot
      timer.previous = last
      timers[slot] = timer
    } else {
      beginRun(slot, timer)
    }
  }

  /// Durations that differ rarely share a line; where they do, their runs are shorter.
  private static func line(_ purpose: TimerPurpose, _ milliseconds: UInt64) -> Int32 {
    Int32(truncatingIfNeeded: ((milliseconds << 2 | purpose.rawValue) &* 0x9e37_79b9_7f4a_7c15) >> 58)
  }

  @inline(never)
  private mutating func beginRun(_ slot: Int32, _ timer: Timer) {
    timers[slot] = timer
    heap.append(slot)
    siftUp(slot, from: Int32(truncatingIfNeeded: heap.count - 1))
  }

  /// Clears the timer of one that has one.
  @inline(__always)
  mutating func clear(_ slot: Int32) {
    count &-= 1
    let (previous, next) = (timers[slot].previous, timers[slot].next)
    if next == 0 {
      clearLast(slot)
    } else if previous > 0 {
      timers[next].previous = previous
      timers[previous].next = next
    } else {
      siftDown(next, from: ~previous)
    }
  }

  /// The same of the last of a run.
  @inline(never)
  private mutating func clearLast(_ slot: Int32) {
    let (previous, line) = (timers[slot].previous, timers[slot].line)
    if lastInLine[line] == slot { lastInLine[line] = max(0, previous) }
    if previous > 0 { timers[previous].next = 0 } else { removeFromHeap(~previous) }
  }

  // MARK: The heap

  private mutating func removeFromHeap(_ place: Int32) {
    let last = heap.removeLast()
    guard place < heap.count else {
      if place == 0 { nextRank = .max }
      return
    }
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

  @inline(__always)
  private mutating func siftDown(_ slot: Int32, from start: Int32) {
    // Most of the time there is but one run.
    if heap.count == 1 { put(slot, at: 0) } else { siftFarther(slot, from: start) }
  }

  @inline(never)
  private mutating func siftFarther(_ slot: Int32, from start: Int32) {
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

  @inline(__always)
  private mutating func put(_ slot: Int32, at place: Int32) {
    timers[slot].previous = ~place
    heap[place] = slot
    if place == 0 { nextRank = timers[slot].rank }
  }
}
