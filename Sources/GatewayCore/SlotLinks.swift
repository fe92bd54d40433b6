import HotData

/// The two ends of a list of slots, first to last; slot 0 is none.
struct SlotList {
  @Compact fileprivate(set) var first = 0
  @Compact fileprivate(set) var last = 0

  var isEmpty: Bool { first == 0 }
}

/// A list of slots that go round, known by its last: half the memory, for lists that many have and few use.
struct SlotRing {
  @Compact fileprivate(set) var last = 0

  var isEmpty: Bool { last == 0 }
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

  @inline(__always)
  mutating func remove(_ slot: Int, from list: inout SlotList) {
    let link = links[slot]
    if link.previous == 0 { list.first = link.next } else { links[link.previous].next = link.next }
    if link.next == 0 { list.last = link.previous } else { links[link.next].previous = link.previous }
  }
}

extension SlotLinks {
  /// The first of a ring; 0: it is empty.
  func first(of ring: SlotRing) -> Int { ring.isEmpty ? 0 : next(of: ring.last) }

  /// All of a ring, first to last.
  func slots(of ring: SlotRing) -> [Int] {
    var slots: [Int] = []
    var slot = first(of: ring)
    while slot != 0 {
      slots.append(slot)
      slot = slot == ring.last ? 0 : next(of: slot)
    }
    return slots
  }

  /// Adds a slot behind the last one.
  mutating func append(_ slot: Int, to ring: inout SlotRing) {
    let last = ring.isEmpty ? slot : ring.last
    links.reach(slot)
    let first = ring.isEmpty ? slot : links[last].next
    links[slot] = Link(previous: last, next: first)
    links[last].next = slot
    links[first].previous = slot
    ring.last = slot
  }

  mutating func remove(_ slot: Int, from ring: inout SlotRing) {
    let link = links[slot]
    links[link.previous].next = link.next
    links[link.next].previous = link.previous
    if ring.last == slot { ring.last = link.previous == slot ? 0 : link.previous }
  }
}
