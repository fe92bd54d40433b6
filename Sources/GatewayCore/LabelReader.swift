import JSONRPC

/// A name that a client chose: where its bytes are, as they came or with their escapes undone in its reader.
enum Label {
  case none
  case raw(Range<Int>)
  case unescaped

  var isNone: Bool { if case .none = self { true } else { false } }
}

/// Reads a key or a group: a string that is not empty and within its bound.
struct LabelReader {
  let limitBytes: Int
  /// The last label that came with escapes.
  private(set) var unescaped: [UInt8] = []

  init(limitBytes: Int) { self.limitBytes = limitBytes }

  /// - Parameter name: what the label is called in an error.
  mutating func read(_ member: Member, called name: String, in bytes: Span<UInt8>) throws(RPCError) -> Label {
    guard member.kind == .string else { throw .invalidParams("\(name) must be a string") }
    let content = member.value.range.dropFirst().dropLast()
    let isEscaped = JSONString.hasEscapes(member.value, in: bytes)
    if isEscaped {
      unescaped.removeAll(keepingCapacity: true)
      guard JSONString.unescape(member.value, in: bytes, into: &unescaped) else {
        throw .invalidParams("\(name) has a lone surrogate")
      }
    }
    let count = isEscaped ? unescaped.count : content.count
    guard count > 0 else { throw .invalidParams("\(name) is empty") }
    guard count <= limitBytes else { throw .invalidParams("\(name) is longer than \(limitBytes) bytes") }
    return isEscaped ? .unescaped : .raw(content)
  }

  /// Gives the bytes of the label that was read last; nil without one.
  func withBytes<Result>(
    of label: Label, in bytes: Span<UInt8>, _ body: (Span<UInt8>) -> Result
  ) -> Result? {
    switch label {
    case .none: nil
    case .raw(let range): body(bytes.extracting(range))
    case .unescaped: body(unescaped.span)
    }
  }
}
