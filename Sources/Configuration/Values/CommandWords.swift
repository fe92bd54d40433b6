import HTTP1
import JSONRPC

/// A command line, split into words as a POSIX shell does it: at blanks that are not quoted. Nothing is expanded.
struct CommandWords: Hashable {
  enum Fault: Error {
    case openQuote(Unicode.Scalar)
    case nothingBehindBackslash
  }

  let words: [String]

  init(_ words: [String]) { self.words = words }

  init(parsing text: String) throws(Fault) {
    var reader = WordReader(text)
    words = try reader.read()
  }

  /// Whether a word ends there, if it is not quoted. No other blank ends one.
  static func isSeparator(_ scalar: Unicode.Scalar) -> Bool { [" ", "\t", "\n"].contains(scalar) }

  /// A text that splits into the same words.
  var text: String { words.map { Self.quoted($0) }.joined(separator: " ") }

  /// The same with `…` in the place of likely secrets.
  var shownText: String {
    let shown = CommandShowing.shown(words)
    return zip(words, shown).map { $0 == $1 ? Self.quoted($0) : Self.quoted($1, besides: "…") }
      .joined(separator: " ")
  }

  /// - Parameter plain: further characters that need no quotes.
  private static func quoted(_ word: String, besides plain: String = "") -> String {
    let isPlain = word.utf8.allSatisfy {
      $0.isLetterOrDigit || "%+,-./:=@_".utf8.contains($0) || plain.utf8.contains($0)
    }
    guard !isPlain || word.isEmpty else { return word }
    var result = "'"
    for scalar in word.unicodeScalars { result += scalar == "'" ? #"'\''"# : String(scalar) }
    return result + "'"
  }
}

/// Reads a command line from its beginning to its end.
private struct WordReader {
  private var rest: Substring.UnicodeScalarView
  private var words: [String] = []
  /// The word so far. An empty one is a word only if it is quoted.
  private var word: String?

  init(_ text: String) { rest = text.unicodeScalars[...] }

  mutating func read() throws(CommandWords.Fault) -> [String] {
    while let scalar = rest.popFirst() {
      switch scalar {
      case _ where CommandWords.isSeparator(scalar): endWord()
      case "'": try singleQuoted()
      case "\"": try doubleQuoted()
      case "\\": try escaped()
      default: append(scalar)
      }
    }
    endWord()
    return words
  }

  private mutating func append(_ scalar: Unicode.Scalar) { word = (word ?? "") + String(scalar) }

  private mutating func endWord() {
    if let word { words.append(word) }
    word = nil
  }

  private mutating func escaped() throws(CommandWords.Fault) {
    guard let next = rest.popFirst() else { throw .nothingBehindBackslash }
    // A backslash before a line break only continues the line.
    if next != "\n" { append(next) }
  }

  private mutating func singleQuoted() throws(CommandWords.Fault) {
    word = word ?? ""
    while let scalar = rest.popFirst() {
      if scalar == "'" { return }
      append(scalar)
    }
    throw .openQuote("'")
  }

  private mutating func doubleQuoted() throws(CommandWords.Fault) {
    word = word ?? ""
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\"": return
      case "\\" where rest.first.map { "$`\"\\\n".unicodeScalars.contains($0) } == true: try escaped()
      default: append(scalar)
      }
    }
    throw .openQuote("\"")
  }
}
