/// Decides which files hold no text worth searching.
enum BinaryContent {
  /// A NUL anywhere, or what gzip begins with: compressed manuals are short enough to hold no NUL.
  static func looksBinary(_ content: [UInt8]) -> Bool {
    content.starts(with: [0x1f, 0x8b]) || content.contains(0)
  }
}
