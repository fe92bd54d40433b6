import HotData

/// The two ends of a list of tasks; slot 0 is none.
struct TaskList: BitwiseCopyable {
  fileprivate(set) var first: Int32 = 0
  fileprivate(set) var last: Int32 = 0

  var isEmpty: Bool { first == 0 }
}

/// Links tasks into lists by their slots; with the same links a task is in one list at most. What the link of a task in
/// none says is of no matter.
struct TaskLinks: ~Copyable {
  struct Link: BitwiseCopyable {
    var previous: Int32 = 0
    var next: Int32 = 0
  }

  private var links = RecordArray<Link>()

  /// The same links once more.
  func copy() -> TaskLinks {
    var copy = TaskLinks()
    copy.links = links.copy()
    return copy
  }

  func previous(of slot: Int32) -> Int32 { links[slot].previous }
  func next(of slot: Int32) -> Int32 { links[slot].next }

  mutating func append(_ slot: Int32, to list: inout TaskList) {
    while links.count <= slot { links.append(Link()) }
    links[slot] = Link(previous: list.last, next: 0)
    if list.last == 0 { list.first = slot } else { links[list.last].next = slot }
    list.last = slot
  }

  mutating func remove(_ slot: Int32, from list: inout TaskList) {
    let link = links[slot]
    if link.previous == 0 { list.first = link.next } else { links[link.previous].next = link.next }
    if link.next == 0 { list.last = link.previous } else { links[link.next].previous = link.previous }
  }
}
