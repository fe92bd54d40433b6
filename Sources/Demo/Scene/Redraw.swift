/// The bytes by which a terminal replaces the last picture.
enum Redraw {
  private static let eraseRestOfLine = "\u{1b}[K"
  private static let eraseBelow = "\u{1b}[J"

  /// - Parameter lines: how many the last picture had; the cursor stands under them.
  static func text(_ frame: [String], over lines: Int) -> String {
    let up = lines > 0 ? "\u{1b}[\(lines)A\r" : ""
    return up + frame.map { $0 + eraseRestOfLine + "\n" }.joined() + eraseBelow
  }
}
