/// What is said of a point in time.
package enum TOMLMoment: String, Sendable {
  case date
  case time
  case dateTime = "date-time"

  /// Nil for a word that says none.
  init?(_ word: ArraySlice<UInt8>) {
    var rest = MomentParts(word)
    let hasDate = rest.takeDate()
    if hasDate && rest.isEmpty {
      self = .date
      return
    }
    guard !hasDate || rest.take(anyOf: "Tt ") else { return nil }
    guard rest.takeTime() else { return nil }
    if hasDate { rest.takeOffset() }
    guard rest.isEmpty else { return nil }
    self = hasDate ? .dateTime : .time
  }
}

/// Takes a date and a time apart, as RFC 3339 writes them.
private struct MomentParts {
  private var rest: ArraySlice<UInt8>

  init(_ word: ArraySlice<UInt8>) { rest = word }

  var isEmpty: Bool { rest.isEmpty }

  mutating func takeDate() -> Bool {
    var next = self
    guard let year = next.number(digits: 4), next.take(anyOf: "-"), let month = next.number(digits: 2),
      next.take(anyOf: "-"), let day = next.number(digits: 2), (1...12).contains(month),
      (1...Self.days(of: month, in: year)).contains(day)
    else { return false }
    self = next
    return true
  }

  /// Down to the second, which may be a leap second, or a fraction of it.
  mutating func takeTime() -> Bool {
    guard takeHourAndMinute(), take(anyOf: ":"), let second = number(digits: 2), second <= 60 else {
      return false
    }
    guard take(anyOf: ".") else { return true }
    let digits = rest.prefix { $0.isDigit }
    rest = rest[digits.endIndex...]
    return !digits.isEmpty
  }

  mutating func takeOffset() {
    guard !take(anyOf: "Zz") else { return }
    var next = self
    if next.take(anyOf: "+-"), next.takeHourAndMinute() { self = next }
  }

  private mutating func takeHourAndMinute() -> Bool {
    guard let hour = number(digits: 2), hour < 24, take(anyOf: ":"), let minute = number(digits: 2) else {
      return false
    }
    return minute < 60
  }

  mutating func take(anyOf bytes: String) -> Bool {
    guard let first = rest.first, bytes.utf8.contains(first) else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func number(digits: Int) -> Int? {
    let word = rest.prefix(digits)
    guard word.count == digits, word.allSatisfy(\.isDigit) else { return nil }
    rest = rest.dropFirst(digits)
    return word.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  private static func days(of month: Int, in year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension UInt8 {
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
