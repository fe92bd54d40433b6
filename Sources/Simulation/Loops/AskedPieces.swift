/// What is known of the pieces of one request's answer.
struct AskedPieces {
  /// Its caller takes them.
  var areTaken = false
  /// The step in which upstream heard of the request.
  var arrived = 0
  /// By piece, the step in which upstream gave it.
  private(set) var given: [Int] = []
  /// Its caller must not get this one, nor any behind it.
  private(set) var firstStale = Int.max
  /// So many there were when upstream answered.
  private(set) var whole = Int.max
  private(set) var heardCount = 0

  mutating func give(at step: Int, isStale: Bool) {
    if isStale { firstStale = min(firstStale, given.count) }
    given.append(step)
  }

  mutating func end() { whole = given.count }

  /// Whether it is the next, and may be heard.
  /// - Parameter source: whose piece it is; nil: its own.
  mutating func hear(_ number: Int, of source: AskedPieces? = nil) -> Bool {
    let source = source ?? self
    guard number == heardCount, number < source.given.count, number < source.firstStale else { return false }
    heardCount += 1
    return true
  }

  /// The step in which the last one was given that was heard, and the first.
  var lastHeard: Int? { heardCount > 0 ? given[heardCount - 1] : nil }
  var firstHeard: Int? { heardCount > 0 ? given[0] : nil }

  /// The fault of a result, if there is one: it must come behind all pieces of its request.
  func fault(ofResultBehind source: AskedPieces) -> String? {
    let all = areTaken ? source.whole : 0
    return heardCount == all ? nil : "got its result behind \(heardCount) of \(all) pieces"
  }

  /// The same of what ends a request otherwise: it says how many pieces there were.
  func fault(ofEnd line: String) -> String? {
    heardCount == Self.said(line) ? nil : "heard \(heardCount) pieces, and of \(Self.said(line))"
  }

  static func said(_ line: String) -> Int { Int(line.digits(behind: #""pieces":"#)) ?? 0 }
}

extension String {
  /// The digits that stand behind a text.
  func digits(behind text: String) -> String {
    guard let range = firstRange(of: text) else { return "" }
    return String(self[range.upperBound...].prefix { $0.isNumber })
  }
}
