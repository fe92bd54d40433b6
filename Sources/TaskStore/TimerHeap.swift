/// The timers of tasks and waiters, earliest first: a binary heap that knows where each of them is.
struct TimerHeap {
  /// What a timer is about. Timers due together fire in this order, then by generation.
  enum Purpose: UInt64 { case deadline, grace, debounce, orphan }

  struct Timer: Hashable {
    var dueMilliseconds: UInt64
    /// Purpose above, generation below: the order among timers due together.
    fileprivate var rank: UInt64
    /// The slot of the waiter (a deadline) or of the task.
    var slot: Int
    /// Callers of one task whose deadlines fall together expire in the order in which they came.
    fileprivate var arrival: UInt64

    var purpose: Purpose { Purpose(rawValue: rank >> 62)! }
    fileprivate var handle: Int { slot << 1 | (purpose == .deadline ? 1 : 0) }

    fileprivate static func < (a: Timer, b: Timer) -> Bool {
      (a.dueMilliseconds, a.rank, a.arrival) < (b.dueMilliseconds, b.rank, b.arrival)
    }
  }

  private var heap: [Timer] = []
  /// Where the timer of each handle is in `heap`, plus one; 0: none is set.
  private var places: [Int32] = []
  private var lastArrival: UInt64 = 0

  var isEmpty: Bool { heap.isEmpty }
  var count: Int { heap.count }
  var first: Timer? { heap.first }

  /// Sets the timer of a waiter or task that has none.
  mutating func set(_ purpose: Purpose, of slot: Int, generation: UInt64, at dueMilliseconds: UInt64) {
    lastArrival += 1
    let timer = Timer(
      dueMilliseconds: dueMilliseconds, rank: purpose.rawValue << 62 | generation, slot: slot,
      arrival: lastArrival)
    while places.count <= timer.handle { places.append(0) }
    assert(places[timer.handle] == 0, "a timer is set twice")
    heap.append(timer)
    siftUp(from: heap.count - 1)
  }

  mutating func clearDeadline(ofWaiter slot: Int) { clear(handle: slot << 1 | 1) }
  mutating func clear(ofTask slot: Int) { clear(handle: slot << 1) }

  private mutating func clear(handle: Int) {
    guard handle < places.count, places[handle] != 0 else { return }
    let place = Int(places[handle]) - 1
    places[handle] = 0
    let last = heap.removeLast()
    guard place < heap.count else { return }
    heap[place] = last
    places[last.handle] = Int32(place + 1)
    siftUp(from: place)
    siftDown(from: Int(places[last.handle]) - 1)
  }

  private mutating func siftUp(from start: Int) {
    let timer = heap[start]
    var place = start
    while place > 0, timer < heap[(place - 1) / 2] {
      move(heap[(place - 1) / 2], to: place)
      place = (place - 1) / 2
    }
    move(timer, to: place)
  }

  private mutating func siftDown(from start: Int) {
    let timer = heap[start]
    var place = start
    while true {
      var child = 2 * place + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
      guard heap[child] < timer else { break }
      move(heap[child], to: place)
      place = child
    }
    move(timer, to: place)
  }

  private mutating func move(_ timer: Timer, to place: Int) {
    heap[place] = timer
    places[timer.handle] = Int32(place + 1)
  }
}
