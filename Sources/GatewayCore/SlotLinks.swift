/// The two ends of a list of slots, first to last; slot 0 is none.
struct SlotList {
  fileprivate(set) var first = 0
  fileprivate(set) var last = 0

  var isEmpty: Bool { first == 0 }
}

/// Links slots into lists; with the same links, a slot is in one list at most.
struct SlotLinks {
  private struct Link {
    var previous: Int32 = 0
    var next: Int32 = 0
  }

  private var links: [Link] = [Link()]

  func previous(of slot: Int) -> Int { Int(links[slot].previous) }
  func next(of slot: Int) -> Int { Int(links[slot].next) }

  mutating func append(_ slot: Int, to list: inout SlotList) {
    while links.count <= slot { links.append(Link()) }
    links[slot] = Link(previous: Int32(list.last), next: 0)
    if list.last == 0 { list.first = slot } else { links[list.last].next = Int32(slot) }
    list.last = slot
  }

  /// Puts a slot behind another one of the list; behind 0 is before all.
  mutating func insert(_ slot: Int, after previous: Int, in list: inout SlotList) {
    guard previous != list.last else { return append(slot, to: &list) }
    while links.count <= slot { links.append(Link()) }
    let next = previous == 0 ? list.first : Int(links[previous].next)
    links[slot] = Link(previous: Int32(previous), next: Int32(next))
    links[next].previous = Int32(slot)
    if previous == 0 { list.first = slot } else { links[previous].next = Int32(slot) }
  }

  mutating func remove(_ slot: Int, from list: inout SlotList) {
    let link = links[slot]
    if link.previous == 0 { list.first = Int(link.next) } else { links[Int(link.previous)].next = link.next }
    if link.next == 0 {
      list.last = Int(link.previous)
    } else {
      links[Int(link.next)].previous = link.previous
    }
    links[slot] = Link()
  }
}
