/// Where one file's path and text lie in the corpus' bytes.
package struct CorpusFile: Hashable, Sendable {
  let pathStart: UInt32
  let textStart: UInt32
  let textEnd: UInt32

  /// The path below the corpus' directory; one line feed follows it.
  package var path: Range<Int> { Int(pathStart)..<Int(textStart) - 1 }
  /// The text, empty for a file that looks binary; one line feed follows it.
  package var text: Range<Int> { Int(textStart)..<Int(textEnd) }
}
