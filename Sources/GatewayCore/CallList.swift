/// The two ends of a list of calls, oldest first, that is linked through the calls themselves.
struct CallList {
  private(set) var first = 0
  private var last = 0

  var isEmpty: Bool { first == 0 }

  mutating func append(_ slot: Int, in calls: inout [Call]) {
    calls[slot].previous = last
    calls[slot].next = 0
    if last == 0 { first = slot } else { calls[last].next = slot }
    last = slot
  }

  mutating func remove(_ slot: Int, in calls: inout [Call]) {
    let (previous, next) = (calls[slot].previous, calls[slot].next)
    if previous == 0 { first = next } else { calls[previous].next = next }
    if next == 0 { last = previous } else { calls[next].previous = previous }
  }
}
