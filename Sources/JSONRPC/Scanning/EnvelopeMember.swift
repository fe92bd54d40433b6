/// The members of an envelope that mean something; every other one is ignored.
@usableFromInline
package enum EnvelopeMember: UInt8 {
  case jsonrpc, id, method, params, task, result, error

  /// The raw value, where other modules can see it.
  @inlinable var index: Int {
    switch self {
    case .jsonrpc: 0
    case .id: 1
    case .method: 2
    case .params: 3
    case .task: 4
    case .result: 5
    case .error: 6
    }
  }

  /// With every byte escaped, the longest of the names has this many.
  private static let longestEscapedNameBytes = 7 * 6

  /// `name` is a member's name without its quotes.
  @inline(never)
  init?(escapedName name: Range<Int>, in bytes: Span<UInt8>) {
    guard name.count <= Self.longestEscapedNameBytes else { return nil }
    guard bytes.firstOffset(of: UInt8(ascii: "\\"), in: name) != nil else { return nil }
    var unescaped = UnescapedBytes(content: name)
    var word: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = unescaped.next(in: bytes) {
      // No name has more than seven bytes, and none holds a NUL, which would be lost in the word.
      guard shift < 56, byte != 0 else { return nil }
      word |= UInt64(byte) &<< shift
      shift &+= 8
    }
    switch ByteWord(bits: word) {
    case ByteWord("jsonrpc"): self = .jsonrpc
    case ByteWord("id"): self = .id
    case ByteWord("method"): self = .method
    case ByteWord("params"): self = .params
    case ByteWord("task"): self = .task
    case ByteWord("result"): self = .result
    case ByteWord("error"): self = .error
    default: return nil
    }
  }
}

extension JSONCursor {
  /// Skips the name of a member and the quote after it; nil, and nothing skipped, if it is none of ours or has
  /// escapes.
  @inline(always)
  mutating func skipPlainMemberName(in bytes: Span<UInt8>) -> EnvelopeMember? {
    let word = ByteWord(at: position, in: bytes)
    if skip(word, if: "id\"") { return .id }
    if skip(word, if: "params\"") { return .params }
    if skip(word, if: "method\"") { return .method }
    if skip(word, if: "result\"") { return .result }
    if skip(word, if: "task\"") { return .task }
    if skip(word, if: "error\"") { return .error }
    if skip(word, if: "jsonrpc\"") { return .jsonrpc }
    return nil
  }

  /// - Parameter word: what is here.
  @inline(always)
  private mutating func skip(_ word: ByteWord, if text: StaticString) -> Bool {
    guard word.begins(with: text) else { return false }
    position &+= text.utf8CodeUnitCount
    return true
  }
}
