import Glibc

/// What a terminal may be sent besides ASCII.
package struct TextStyle: Hashable, Sendable {
  package var hasColours = false
  package var hasUnicode = false

  package init(hasColours: Bool = false, hasUnicode: Bool = false) {
    self.hasColours = hasColours
    self.hasUnicode = hasUnicode
  }

  /// As the environment has it; colours on a terminal only, and not when somebody asked for none.
  package init(isTerminal: Bool, environment: (String) -> String?) {
    let isDumb = environment("TERM") == "dumb"
    hasColours = isTerminal && !isDumb && (environment("NO_COLOR") ?? "").isEmpty
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty } ?? ""
    hasUnicode = locale.uppercased().contains("UTF-8") || locale.uppercased().contains("UTF8")
  }

  enum Colour: Int {
    case red = 31
    case green = 32
    case yellow = 33
    case grey = 90
  }

  func paint(_ text: String, _ colour: Colour?) -> String {
    guard hasColours, let colour, !text.isEmpty else { return text }
    return "\u{1b}[\(colour.rawValue)m\(text)\u{1b}[0m"
  }

  var running: Character { hasUnicode ? "█" : "#" }
  /// Nobody waits any more, upstream still works.
  var draining: Character { hasUnicode ? "░" : "." }
  var separator: String { hasUnicode ? " │ " : " | " }
  var rule: Character { hasUnicode ? "─" : "-" }

  /// Exactly so many columns of the text, cut or filled up.
  func fitted(_ text: String, to columns: Int) -> String {
    let shown = hasUnicode ? text.printable : String(text.printable.map { $0.isASCII ? $0 : "?" })
    return String(shown.prefix(columns)).padded(to: columns)
  }

  /// The same, but a long text is cut off in front: the last letters typed matter.
  func fittedTail(_ text: String, to columns: Int) -> String {
    text.count <= columns ? fitted(text, to: columns) : fitted("~" + text.suffix(columns - 1), to: columns)
  }
}
