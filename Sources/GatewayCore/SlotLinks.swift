import HotData

/// The two ends of a list of slots, first to last; slot 0 is none.
struct SlotList {
  @Compact fileprivate(set) var first = 0
  @Compact fileprivate(set) var last = 0

  var isEmpty: Bool { first == 0 }
}

/// Links slots into lists; with the same links, a slot is in one list at most. What the link of a slot in none says
/// is of no matter.
struct SlotLinks: ~Copyable {
  struct Link {
    @Compact var previous = 0
    @Compact var next = 0
  }

  private var links = SlotArray(empty: Link())

  @inline(__always)
  func previous(of slot: Int) -> Int { links[slot].previous }
  @inline(__always)
  func next(of slot: Int) -> Int { links[slot].next }

  @inline(__always)
  mutating func append(_ slot: Int, to list: inout SlotList) {
    let last = list.last
    list.last = slot
    if last == 0 { list.first = slot } else { links[last].next = slot }
    links.reach(slot)
    links[slot] = Link(previous: last, next: 0)
  }

  /// Puts a slot behind another one of the list; behind 0 is before all.
  mutating func insert(_ slot: Int, after previous: Int, in list: inout SlotList) {
    guard previous != list.last else { return append(slot, to: &list) }
    links.reach(slot)
    let next = previous == 0 ? list.first : links[previous].next
    links[slot] = Link(previous: previous, next: next)
    links[next].previous = slot
    if previous == 0 { list.first = slot } else { links[previous].next = slot }
  }

  @inline(__always)
  mutating func remove(_ slot: Int, from list: inout SlotList) {
    let link = links[slot]
    if link.previous == 0 { list.first = link.next } else { links[link.previous].next = link.next }
    if link.next == 0 { list.last = link.previous } else { links[link.next].previous = link.previous }
  }
}
