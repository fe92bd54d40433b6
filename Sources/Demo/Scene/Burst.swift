/// The queries of what was typed in one go, which share a scale.
struct Burst: Hashable {
  private(set) var numbers: Range<Int>
  let startMilliseconds: Int
  private var endMilliseconds: Int

  var spanMilliseconds: Int { endMilliseconds - startMilliseconds }

  static func all(in queries: [TypedQuery], nowMilliseconds: Int) -> [Burst] {
    var bursts: [Burst] = []
    for (number, query) in queries.enumerated() {
      if query.isFirst || bursts.isEmpty { bursts.append(Burst(from: number, query.sentMilliseconds)) }
      bursts[bursts.count - 1].add(query, nowMilliseconds)
    }
    return bursts
  }

  private init(from number: Int, _ startMilliseconds: Int) {
    numbers = number..<number
    self.startMilliseconds = startMilliseconds
    endMilliseconds = startMilliseconds
  }

  private mutating func add(_ query: TypedQuery, _ nowMilliseconds: Int) {
    numbers = numbers.lowerBound..<numbers.upperBound + 1
    endMilliseconds = max(
      endMilliseconds, query.endedMilliseconds ?? nowMilliseconds, query.upstreamAnsweredMilliseconds ?? 0)
  }
}
