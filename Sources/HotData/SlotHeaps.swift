/// Pairing heaps of slots, each with its lowest rank on top; a slot is in one of them at most, and slot 0 is none.
///
/// Adding costs the same however many there are, taking out their logarithm in the long run.
@usableFromInline package struct SlotHeaps: ~Copyable {
  @usableFromInline struct Node {
    var rank: UInt64 = 0
    /// The first of those below it.
    var child: Int32 = 0
    /// The next beside it.
    var next: Int32 = 0
    /// The one before it, or, for the first of those below another, that one.
    var previous: Int32 = 0
  }

  @usableFromInline var nodes = SlotArray(empty: Node())

  package init() {}

  private subscript(slot: Int32) -> Node {
    get { nodes[Int(slot)] }
    _modify { yield &nodes[Int(slot)] }
  }

  package mutating func insert(_ slot: Int, rank: UInt64, into top: inout Int) {
    nodes.reach(slot)
    nodes[slot] = Node(rank: rank)
    top = Int(meld(Int32(truncatingIfNeeded: top), Int32(truncatingIfNeeded: slot)))
  }

  package mutating func remove(_ slot: Int, from top: inout Int) {
    var root = Int32(truncatingIfNeeded: top)
    remove(Int32(truncatingIfNeeded: slot), from: &root)
    top = Int(root)
  }

  private mutating func remove(_ slot: Int32, from top: inout Int32) {
    let below = meldAll(from: self[slot].child)
    if slot == top {
      top = below
    } else {
      cut(slot)
      top = meld(top, below)
    }
  }

  private mutating func cut(_ slot: Int32) {
    let (previous, next) = (self[slot].previous, self[slot].next)
    if self[previous].child == slot { self[previous].child = next } else { self[previous].next = next }
    if next != 0 { self[next].previous = previous }
  }

  /// One heap of two, either of which may be empty.
  private mutating func meld(_ one: Int32, _ other: Int32) -> Int32 {
    if one == 0 || other == 0 { return one + other }
    let isInOrder = self[one].rank <= self[other].rank
    let (top, below) = isInOrder ? (one, other) : (other, one)
    let child = self[top].child
    if child != 0 { self[child].previous = below }
    self[below].next = child
    self[below].previous = top
    self[top].child = below
    return top
  }

  /// One heap of those beside each other: melded in pairs from the first on, then the pairs from the last on.
  private mutating func meldAll(from first: Int32) -> Int32 {
    var pairs: Int32 = 0
    var slot = first
    while slot != 0 {
      let second = self[slot].next
      let rest = second == 0 ? 0 : self[second].next
      detach(slot)
      if second != 0 { detach(second) }
      let pair = meld(slot, second)
      self[pair].next = pairs
      pairs = pair
      slot = rest
    }
    var top: Int32 = 0
    while pairs != 0 {
      let rest = self[pairs].next
      detach(pairs)
      top = meld(top, pairs)
      pairs = rest
    }
    return top
  }

  private mutating func detach(_ slot: Int32) {
    self[slot].next = 0
    self[slot].previous = 0
  }
}
