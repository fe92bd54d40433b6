/// The names and texts of a directory's files, as one array of bytes and a table of what lies where.
package struct Corpus: Sendable {
  /// The directory that is searched when none is named: every Debian has it, and it holds text enough.
  package static let defaultDirectory = "/usr"

  /// Bytes behind the last text that may be read along with it, whatever they are.
  static let slackByteCount = 16

  package private(set) var bytes: [UInt8] = []
  package private(set) var files: [CorpusFile] = []
  /// Files whose text was left out because it looks binary.
  package private(set) var binaryFiles = 0
  /// Files of which just the beginning is held.
  package private(set) var cutFiles = 0
  /// What could not be opened or read.
  package var unreadable = 0
  /// Whether the tree holds more than the bounds let in.
  package var isPartial = false

  package init() { bytes = Array(repeating: 0, count: Self.slackByteCount) }

  /// Names and texts, with the line feed behind each.
  package var byteCount: Int { bytes.count - Self.slackByteCount }

  package var textByteCount: Int { files.reduce(0) { $0 + $1.text.count } }

  /// Adds a file; of one that looks binary, only its path.
  mutating func append(path: [UInt8], content: [UInt8], isCut: Bool) {
    bytes.removeLast(Self.slackByteCount)
    let pathStart = bytes.count
    // A line feed in a name would look like the name's end.
    bytes.append(contentsOf: path.lazy.map { $0 == .lineFeed ? UInt8(ascii: "?") : $0 })
    bytes.append(.lineFeed)
    let textStart = bytes.count
    if BinaryContent.looksBinary(content) {
      binaryFiles += 1
    } else {
      bytes.append(contentsOf: content)
      cutFiles += isCut ? 1 : 0
    }
    files.append(
      CorpusFile(pathStart: UInt32(pathStart), textStart: UInt32(textStart), textEnd: UInt32(bytes.count)))
    bytes.append(.lineFeed)
    bytes.append(contentsOf: repeatElement(0, count: Self.slackByteCount))
  }
}

extension UInt8 {
  static let lineFeed = UInt8(ascii: "\n")
}
