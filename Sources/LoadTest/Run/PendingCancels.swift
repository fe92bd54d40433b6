/// The requests that the client is going to take back, in the order of their times.
struct PendingCancels {
  struct Entry {
    var nanoseconds: UInt64
    var number: UInt64
    var connection: Int
  }

  private var entries: [Entry] = []
  private var head = 0

  var nextNanoseconds: UInt64? { head < entries.count ? entries[head].nanoseconds : nil }

  mutating func append(_ entry: Entry) { entries.append(entry) }

  mutating func removeDue(at nanoseconds: UInt64) -> Entry? {
    guard let next = nextNanoseconds, next <= nanoseconds else { return nil }
    head += 1
    let entry = entries[head - 1]
    if 2 * head > entries.count {
      entries.removeFirst(head)
      head = 0
    }
    return entry
  }

  mutating func removeAll() { self = PendingCancels() }
}
