/// Text of others in a message of ours: on one line, in quotes, and not too long.
package enum Quoted {
  package static let limitCharacters = 64

  package static func text(_ text: some StringProtocol) -> String {
    var result = "'"
    for scalar in text.unicodeScalars.prefix(limitCharacters) {
      if scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value) {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    if text.unicodeScalars.count > limitCharacters { result += "…" }
    return result + "'"
  }

  /// `'a', 'b' or 'c'`.
  package static func alternatives(_ words: [String]) -> String {
    let quoted = words.map { text($0) }
    guard let last = quoted.last, quoted.count > 1 else { return quoted.first ?? "" }
    return "\(quoted.dropLast().joined(separator: ", ")) or \(last)"
  }
}
