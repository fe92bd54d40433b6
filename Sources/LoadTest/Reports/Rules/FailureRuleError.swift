/// Why a text is no failure rule, where that shows, and what could stand there.
package struct FailureRuleError: Error, Hashable, Sendable {
  package let text: String
  /// Counted from 1.
  package let column: Int
  package let expected: String
}

extension FailureRuleError: CustomStringConvertible {
  package var description: String {
    let rest = text.dropFirst(column - 1)
    let place = rest.isEmpty ? "at its end" : "at \"\(String(rest).printable)\""
    return "\"\(text.printable)\" is no rule: \(place), column \(column): \(expected)"
  }
}
