/// How much one occurrence of the query counts.
enum MatchWeight {
  static let insideWord = 1
  static let startOfPart = 3
  static let startOfWord = 6
  static let wholeWord = 12
  /// One in the file's path counts as that many in its text.
  static let pathFactor = 20
}

extension Query {
  /// The weight of an occurrence at `index`, whose first byte is of class `first`, behind one of `previous`.
  func weight(at index: Int, _ previous: ByteClass, _ first: ByteClass, in bytes: [UInt8]) -> Int {
    guard first.startsPart(after: previous) else { return MatchWeight.insideWord }
    guard !previous.isWord else { return MatchWeight.startOfPart }
    return endsWord(at: index, in: bytes) ? MatchWeight.wholeWord : MatchWeight.startOfWord
  }
}
