/// Finds the peer that has idled for longest, by a bounded look at some of them: the next time at those behind.
///
/// With more peers than are looked at, it is the longest of these. In return a peer costs nothing as it comes and goes.
struct IdlePlaces {
  /// So many are looked at each time.
  static let lookCount = 256

  private var next = 0

  /// - Parameters:
  ///   - count: of places.
  ///   - idleSince: since when the peer at a place has idled; nil: it does not.
  /// - Returns: its place; nil: of those that were looked at none idles.
  mutating func longest(among count: Int, idleSince: (Int) -> UInt64?) -> Int? {
    var longest: (place: Int, since: UInt64)?
    for _ in 0..<min(count, Self.lookCount) {
      if next >= count { next = 0 }
      if let since = idleSince(next), longest.map({ since < $0.since }) ?? true { longest = (next, since) }
      next += 1
    }
    return longest?.place
  }
}
