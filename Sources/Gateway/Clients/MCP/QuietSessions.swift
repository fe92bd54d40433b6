/// Sessions of which nothing is under way, by how long that has been so.
struct QuietSessions {
  private struct Entry {
    let name: String
    let sinceMilliseconds: UInt64
  }

  /// Longest first. Some have gone since, or are quiet no more, or anew.
  private var line: [Entry] = []
  private var passedCount = 0

  var entryCount: Int { line.count - passedCount }

  /// - Parameters:
  ///   - sessionCount: so many sessions there are.
  ///   - isStill: whether one has been quiet since then.
  mutating func add(
    _ name: String, since milliseconds: UInt64, sessionCount: Int, isStill: (String, UInt64) -> Bool
  ) {
    if line.count >= 2 * sessionCount + Self.spareEntries {
      line = line[passedCount...].filter { isStill($0.name, $0.sinceMilliseconds) }
      passedCount = 0
    }
    line.append(Entry(name: name, sinceMilliseconds: milliseconds))
  }

  /// Which has been quiet for longest; nil: none is.
  mutating func popLongest(isStill: (String, UInt64) -> Bool) -> String? {
    while passedCount < line.count {
      let entry = line[passedCount]
      passedCount += 1
      if isStill(entry.name, entry.sinceMilliseconds) { return entry.name }
    }
    return nil
  }

  /// So many entries more than twice as many as there are sessions are kept at most.
  private static let spareEntries = 64
}
