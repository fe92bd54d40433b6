/// Reads a failure rule from left to right, and says where one goes wrong.
struct RuleScanner {
  /// A bound beyond that is a slip, and is no longer read exactly.
  private static let numberCharacters = 15

  private let text: String
  private var rest: Substring
  /// The rule as it was read, without its spaces.
  private(set) var read = ""

  init(_ text: String) {
    self.text = text
    rest = text[...]
  }

  mutating func metric() throws(FailureRuleError) -> RuleMetric {
    let word = take { $0.isLetter || $0.isNumber || $0 == "." || $0 == "_" }
    guard let metric = RuleMetric(String(word)) else {
      throw error(at: word.startIndex, "a rule begins with one of \(RuleMetric.allowed)")
    }
    return metric
  }

  mutating func comparison() throws(FailureRuleError) -> FailureRule.Comparison {
    skipSpaces()
    guard let comparison = FailureRule.Comparison.allCases.first(where: { rest.hasPrefix($0.rawValue) })
    else {
      throw error(at: rest.startIndex, "what is measured is followed by > >= < or <=")
    }
    read += comparison.rawValue
    rest = rest.dropFirst(comparison.rawValue.count)
    return comparison
  }

  mutating func bound(for metric: RuleMetric) throws(FailureRuleError) -> RuleBound {
    let digits = take { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard let number = Self.number(digits) else {
      throw error(
        at: digits.startIndex,
        "a bound is a number such as 20 or 0.5, of at most \(Self.numberCharacters) digits")
    }
    let word = take { !$0.isWhitespace }
    skipSpaces()
    guard let unit = RuleBound.Unit(String(word)), metric.units.contains(unit), rest.isEmpty else {
      throw error(at: word.startIndex, Self.allowed(metric.units))
    }
    return RuleBound(number: number, unit: unit)
  }

  /// A number in plain digits, perhaps with a fraction.
  static func number(_ text: Substring) -> Double? {
    guard text.count <= numberCharacters, let first = text.first, first != ".", text.last != "." else {
      return nil
    }
    guard text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }) else { return nil }
    return Double(text)
  }

  private static func allowed(_ units: [RuleBound.Unit]) -> String {
    if units == [.none] { return "this bound is a number without a unit" }
    if units.contains(.percent) { return "this bound is a number, or a percentage with % (of all replies)" }
    return "a time needs one of the units ns, us, µs, ms, s, and nothing after it"
  }

  private mutating func take(_ belongs: (Character) -> Bool) -> Substring {
    skipSpaces()
    let word = rest.prefix(while: belongs)
    rest = rest[word.endIndex...]
    read += word
    return word
  }

  private mutating func skipSpaces() { rest = rest.drop(while: \.isWhitespace) }

  private func error(at index: Substring.Index, _ expected: String) -> FailureRuleError {
    FailureRuleError(
      text: text, column: text.distance(from: text.startIndex, to: index) + 1, expected: expected)
  }
}
