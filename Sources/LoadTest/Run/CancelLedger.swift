/// Joins when a request was superseded with when upstream heard of it: the two are learnt over different ways.
struct CancelLedger {
  /// As many requests can be waited for at once; later ones take the place of earlier ones.
  private static let capacity = 1 << 16

  private struct Entry {
    var number: UInt64 = 0
    var supersededNanoseconds: UInt64 = 0
    var heardNanoseconds: UInt64 = 0
  }

  private var entries: [Entry] = []

  /// - Returns: how long the cancel took, once both are known.
  mutating func superseded(_ number: UInt64, at nanoseconds: UInt64) -> UInt64? {
    update(number) { $0.supersededNanoseconds = nanoseconds }
  }

  mutating func heard(_ number: UInt64, at nanoseconds: UInt64) -> UInt64? {
    update(number) { $0.heardNanoseconds = nanoseconds }
  }

  private mutating func update(_ number: UInt64, _ change: (inout Entry) -> Void) -> UInt64? {
    if entries.isEmpty { entries = Array(repeating: Entry(), count: Self.capacity) }
    let index = Int(truncatingIfNeeded: number) & (Self.capacity - 1)
    if entries[index].number != number { entries[index] = Entry(number: number) }
    change(&entries[index])
    let (superseded, heard) = (entries[index].supersededNanoseconds, entries[index].heardNanoseconds)
    guard superseded != 0, heard != 0 else { return nil }
    entries[index] = Entry()
    return heard > superseded ? heard - superseded : nil
  }
}
