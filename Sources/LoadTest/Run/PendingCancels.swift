/// The requests that the client is going to cancel, in the order of their times.
struct PendingCancels {
  struct Entry {
    var nanoseconds: UInt64
    var number: UInt64
    var connection: Int
  }

  private var entries = WaitingLine<Entry>()

  var nextNanoseconds: UInt64? { entries.first?.nanoseconds }

  mutating func append(_ entry: Entry) { entries.append(entry) }

  mutating func removeDue(at nanoseconds: UInt64) -> Entry? {
    guard let next = nextNanoseconds, next <= nanoseconds else { return nil }
    return entries.removeFirst()
  }

  mutating func removeAll() { self = PendingCancels() }
}
