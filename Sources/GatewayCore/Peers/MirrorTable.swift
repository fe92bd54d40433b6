/// The mirrors of one loop's clients, by the slots that these have there.
struct MirrorTable {
  private var slots: [Int32] = []

  var all: [(client: Int32, mirror: Int)] {
    slots.indices.filter { slots[$0] >= 0 }.map { (Int32(truncatingIfNeeded: $0), Int(slots[$0])) }
  }

  subscript(client: Int) -> Int {
    get { client < slots.count ? Int(slots[client]) : -1 }
    set {
      while slots.count <= client { slots.append(-1) }
      slots[client] = Int32(truncatingIfNeeded: newValue)
    }
  }
}
