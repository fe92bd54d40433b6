/// What a setting's value may look like, whatever it means.
package enum SettingForm: Hashable, Sendable {
  case integer(ClosedRange<Int>, SettingUnit)
  case boolean
  case choice([String])
  case choices([String])
  /// Text of a form that the setting itself checks, such as an address; here it is described.
  case text(String)

  /// For those who read the example: what can be written.
  package var description: String {
    switch self {
    case .integer(let range, let unit):
      "\(unit.prefix)\(SettingValue.grouped(range.lowerBound)) to \(SettingValue.grouped(range.upperBound))"
    case .boolean: "true or false"
    case .choice(let names): names.map { "\"\($0)\"" }.joined(separator: " | ")
    case .choices(let names): "any of " + names.map { "\"\($0)\"" }.joined(separator: ", ")
    case .text(let form): form
    }
  }

  // MARK: From a file

  func value(of entry: TOMLEntry) throws(Mistake) -> SettingValue {
    switch (self, entry.content) {
    case (.integer, .integer(let number)): return try checked(.integer(number))
    case (.boolean, .boolean(let flag)): return .boolean(flag)
    case (.choice, .text(let text)), (.text, .text(let text)): return try checked(.text(text))
    case (.choices, .list(let entries)): return .list(try items(entries))
    case (.integer, _): throw Mistake("must be an integer, not \(entry.kind)")
    case (.boolean, _): throw Mistake("must be true or false, not \(entry.kind)")
    case (.choice, _), (.text, _): throw Mistake("must be a string, not \(entry.kind)")
    case (.choices, _): throw Mistake("must be an array of strings, not \(entry.kind)")
    }
  }

  private func items(_ entries: [TOMLEntry]) throws(Mistake) -> [String] {
    var items: [String] = []
    for entry in entries {
      guard case .text(let text) = entry.content else {
        throw Mistake("must be an array of strings, not of \(entry.kind)", at: entry.valuePlace)
      }
      do throws(Mistake) {
        try check(item: text, after: items)
      } catch {
        throw Mistake(error.message, at: entry.valuePlace)
      }
      items.append(text)
    }
    guard !items.isEmpty else { throw Mistake("must not be empty") }
    return items
  }

  // MARK: From the environment and flags

  func value(of text: String) throws(Mistake) -> SettingValue {
    switch self {
    case .integer:
      guard let number = Int(text) else { throw Mistake("must be an integer, not \(Quoted.text(text))") }
      return try checked(.integer(number))
    case .boolean:
      guard let flag = Bool(text) else { throw Mistake("must be true or false, not \(Quoted.text(text))") }
      return .boolean(flag)
    case .choice, .text: return try checked(.text(text))
    case .choices:
      var items: [String] = []
      for item in text.split(separator: ",").map(String.init) {
        try check(item: item, after: items)
        items.append(item)
      }
      return .list(items)
    }
  }

  // MARK: Checks

  private func checked(_ value: SettingValue) throws(Mistake) -> SettingValue {
    switch (self, value) {
    case (.integer(let range, let unit), .integer(let number)) where !range.contains(number):
      let bounds =
        "\(SettingValue.grouped(range.lowerBound)) to \(SettingValue.grouped(range.upperBound))"
      throw Mistake("must be \(bounds)\(unit.suffix), not \(number)")
    case (.choice(let names), .text(let text)) where !names.contains(text):
      throw unknown(text, names)
    default: return value
    }
  }

  private func check(item: String, after earlier: [String]) throws(Mistake) {
    guard case .choices(let names) = self else { return }
    if !names.contains(item) { throw unknown(item, names) }
    if earlier.contains(item) { throw Mistake("names \(Quoted.text(item)) twice") }
  }

  private func unknown(_ word: String, _ names: [String]) -> Mistake {
    Mistake(
      "must be \(Quoted.alternatives(names)), not \(Quoted.text(word))"
        + NearestName.hint(for: word, among: names))
  }
}
