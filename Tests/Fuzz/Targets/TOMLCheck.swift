import TOML

/// What must hold of one text that is read as TOML, and of what it is refused for.
struct TOMLCheck {
  private let input: [UInt8]

  init(_ input: [UInt8]) { self.input = input }

  func run() throws(Violation) {
    let content: TOMLEntry.Content
    do throws(TOMLFault) {
      content = try TOMLReader.read(input).content
    } catch {
      return try check(error)
    }
    try require(
      Self.content(of: input + Array("\n # é".utf8)).map(Self.text) == Self.text(content), "a comment counts")
    let text = Self.text(content)
    let again = Self.content(of: Array(text.utf8))
    try require(again.map(Self.text) == text, "what was read is another text when it is written: \(text)")
    try checkPlaces(in: content)
  }

  private static func content(of bytes: [UInt8]) -> TOMLEntry.Content? { try? TOMLReader.read(bytes).content }

  // MARK: Places

  private func check(_ fault: TOMLFault) throws(Violation) {
    try check(fault.place)
    if let earlier = fault.earlier {
      try check(earlier)
      try require(earlier < fault.place, "what is earlier comes later")
    }
    try require(
      !fault.message.isEmpty && fault.message.unicodeScalars.allSatisfy { $0.value >= 0x20 },
      "a fault is not one line")
  }

  private func check(_ place: Place) throws(Violation) {
    let lines = input.split(separator: 0x0A, omittingEmptySubsequences: false)
    try require(place.line >= 1 && place.line <= lines.count, "a place is in no line")
    let columns = lines[place.line - 1].count + 1
    try require(place.column >= 1 && place.column <= columns, "a place is behind its line")
  }

  private func checkPlaces(in content: TOMLEntry.Content) throws(Violation) {
    switch content {
    case .list(let items): for item in items { try check(item) }
    case .table(let members):
      for (one, next) in zip(members, members.dropFirst()) {
        try require(one.entry.keyPlace < next.entry.keyPlace, "keys are not in their order")
      }
      for member in members { try check(member.entry) }
    default: break
    }
  }

  private func check(_ entry: TOMLEntry) throws(Violation) {
    try check(entry.keyPlace)
    try check(entry.valuePlace)
    try require(entry.keyPlace <= entry.valuePlace, "a value stands before its key")
    try checkPlaces(in: entry.content)
  }

  // MARK: Writing

  /// As a text that says the same, plainly.
  private static func text(_ root: TOMLEntry.Content) -> String {
    guard case .table(let members) = root else { return "" }
    return members.map { "\(pair($0))\n" }.joined()
  }

  private static func pair(_ member: TOMLMember) -> String {
    "\(quoted(member.name)) = \(value(member.entry.content))"
  }

  private static func value(_ content: TOMLEntry.Content) -> String {
    switch content {
    case .integer(let number): "\(number)"
    // Swift writes them as TOML has them.
    case .float(let number): number.isNaN ? "nan" : "\(number)"
    case .boolean(let flag): "\(flag)"
    case .text(let text): quoted(text)
    case .moment(_, let text): text
    case .list(let items): "[" + items.map { value($0.content) }.joined(separator: ", ") + "]"
    case .table(let members): "{" + members.map { pair($0) }.joined(separator: ", ") + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    "\""
      + text.unicodeScalars.map { scalar in
        let digits = String(scalar.value, radix: 16)
        return "\\U" + String(repeating: "0", count: 8 - digits.utf8.count) + digits
      }.joined() + "\""
  }
}
