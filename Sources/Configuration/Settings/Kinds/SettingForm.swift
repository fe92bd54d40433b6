import TOML

/// The form of a setting's value, whatever it means.
package enum SettingForm: Hashable, Sendable {
  case integer(ClosedRange<Int>, SettingUnit)
  case boolean
  case choice([String])
  case choices([String])
  /// Text whose form the setting itself checks, such as an address; the value describes the form.
  case text(String)
  /// A list of such texts.
  case texts(String, most: Int)
  /// The same, where a single one needs no brackets.
  case oneOrMore(String, most: Int)

  /// Whether it is a list of texts, each given by itself.
  package var isList: Bool {
    switch self {
    case .texts, .oneOrMore: true
    case .integer, .boolean, .choice, .choices, .text: false
    }
  }

  /// The allowed values, for readers of the example.
  package var description: String {
    switch self {
    case .integer(let range, let unit):
      "\(unit.prefix)\(SettingValue.grouped(range.lowerBound)) to \(SettingValue.grouped(range.upperBound))"
    case .boolean: "true or false"
    case .choice(let names): names.map { "\"\($0)\"" }.joined(separator: " | ")
    case .choices(let names): "any of " + names.map { "\"\($0)\"" }.joined(separator: ", ")
    case .text(let form): form
    case .texts(let form, let most): "1 to \(most) of: \(form)"
    case .oneOrMore(let form, let most): "\(form), or an array of up to \(most)"
    }
  }

  // MARK: From a file

  func value(of entry: TOMLEntry) throws(Mistake) -> SettingValue {
    switch (self, entry.content) {
    case (.integer, .integer(let number)): return try checked(.integer(number))
    case (.boolean, .boolean(let flag)): return .boolean(flag)
    case (.choice, .text(let text)), (.text, .text(let text)): return try checked(.text(text))
    case (.choices, .list(let entries)), (.texts, .list(let entries)), (.oneOrMore, .list(let entries)):
      return try list(entries)
    case (.oneOrMore, .text): return try list([entry])
    case (.integer, _): throw Mistake("must be an integer, not \(entry.kind)")
    case (.boolean, _): throw Mistake("must be true or false, not \(entry.kind)")
    case (.choice, _), (.text, _): throw Mistake("must be a string, not \(entry.kind)")
    case (.oneOrMore, _): throw Mistake("must be a string or an array of strings, not \(entry.kind)")
    case (.choices, _), (.texts, _): throw Mistake("must be an array of strings, not \(entry.kind)")
    }
  }

  private func list(_ entries: [TOMLEntry]) throws(Mistake) -> SettingValue {
    var items: [(text: String, place: Place?)] = []
    for entry in entries {
      guard case .text(let text) = entry.content else {
        throw Mistake("must be an array of strings, not of \(entry.kind)", at: entry.valuePlace)
      }
      items.append((text, entry.valuePlace))
    }
    return try list(items)
  }

  // MARK: From the environment and flags

  /// A list takes all of the texts, anything else the last.
  func value(of texts: [String]) throws(Mistake) -> SettingValue {
    switch self {
    case .texts(let form, _), .oneOrMore(let form, _):
      guard !texts.isEmpty else { throw Mistake("must name at least one: \(form)") }
      return try list(texts.map { ($0, nil) })
    case .integer, .boolean, .choice, .choices, .text: return try value(of: texts.last ?? "")
    }
  }

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
      return try list(text.split(separator: ",").map { (String($0), nil) })
    case .texts, .oneOrMore: return try list([(text, nil)])
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

  private func list(_ items: [(text: String, place: Place?)]) throws(Mistake) -> SettingValue {
    guard !items.isEmpty else { throw Mistake("must not be empty") }
    switch self {
    case .choices(let names): return try choices(items, of: names)
    case .texts(_, let most) where items.count > most, .oneOrMore(_, let most) where items.count > most:
      throw Mistake("must not have more than \(most) items", at: items[most].place)
    default: return .list(items.map(\.text))
    }
  }

  private func choices(
    _ items: [(text: String, place: Place?)], of names: [String]
  ) throws(Mistake) -> SettingValue {
    var taken: [String] = []
    for (text, place) in items {
      guard names.contains(text) else { throw unknown(text, names, at: place) }
      guard !taken.contains(text) else { throw Mistake("names \(Quoted.text(text)) twice", at: place) }
      taken.append(text)
    }
    return .list(taken)
  }

  private func unknown(_ word: String, _ names: [String], at place: Place? = nil) -> Mistake {
    Mistake(
      "must be \(Quoted.alternatives(names)), not \(Quoted.text(word))"
        + NearestName.hint(for: word, among: names), at: place)
  }
}
