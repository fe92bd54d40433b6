import TOML

/// Finds the name that a mistyped word was probably meant to be.
package enum NearestName {
  static let largestDistance = 2
  /// Longer words are not compared: the cost is the product of both lengths.
  static let limitCharacters = 64

  /// `; did you mean 'x'?`, or nothing.
  static func hint(for word: String, among names: [String]) -> String {
    guard let name = suggestion(for: word, among: names) else { return "" }
    return "; did you mean \(Quoted.text(name))?"
  }

  /// The nearest name; nil: none is near.
  package static func suggestion(for word: String, among names: [String]) -> String? {
    let letters = Array(word.prefix(limitCharacters + 1))
    guard letters.count > 1, letters.count <= limitCharacters else { return nil }
    // A short word is two changes away from too many others.
    let reach = min(largestDistance, letters.count / 2)
    let near = names.map { ($0, distance(letters, Array($0))) }.min { $0.1 < $1.1 }
    if let near, near.1 <= reach { return near.0 }
    return names.first { $0.hasPrefix(word) || word.hasPrefix($0) }
  }

  /// How many letters have to be inserted, removed or changed.
  static func distance(_ one: [Character], _ other: [Character]) -> Int {
    var row = Array(0...other.count)
    for (i, letter) in one.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, opposite) in other.enumerated() {
        let changed = diagonal + (letter == opposite ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(changed, diagonal + 1, row[j] + 1)
      }
    }
    return row[other.count]
  }
}
