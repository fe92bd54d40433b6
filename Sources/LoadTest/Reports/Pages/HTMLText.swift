/// Writes text from outside into HTML so that it stays text.
enum HTMLText {
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars { append(scalar, to: &escaped) }
    return escaped
  }

  private static func append(_ scalar: Unicode.Scalar, to text: inout String) {
    switch scalar {
    case "&": text += "&amp;"
    case "<": text += "&lt;"
    case ">": text += "&gt;"
    case "\"": text += "&quot;"
    case "'": text += "&#39;"
    // What HTML does not allow in any spelling.
    case "\0"..."\u{8}", "\u{b}", "\u{e}"..."\u{1f}", "\u{7f}"..."\u{9f}": text += "\u{b7}"
    default: text.unicodeScalars.append(scalar)
    }
  }
}
