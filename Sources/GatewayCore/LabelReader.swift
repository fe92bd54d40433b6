import JSONRPC

/// A name that a client chose: where its bytes are, as they came or with their escapes undone in its reader.
enum Label {
  case none
  case raw(ByteRange)
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
    guard case .string = member.kind else { throw .invalidParams("\(name) must be a string") }
    return try readString(member.value, called: name, in: bytes)
  }

  /// A label without escapes, with its quotes; nil when it is empty or over the bound.
  @inline(__always)
  func plain(_ value: ByteRange) -> Label? {
    let content = value.withoutQuotes
    return content.isEmpty || content.count > limitBytes ? nil : .raw(content)
  }

  /// The same of a value that a route points at, which need not be meant as a label: a number or a truth value is
  /// one as it stands there, null is none.
  /// - Parameter prefix: stands before it, and counts as part of it.
  mutating func read(
    _ value: ByteRange, called name: String, prefix: [UInt8], in bytes: Span<UInt8>
  ) throws(RPCError) -> Label {
    let label = try read(value, called: name, in: bytes)
    guard !prefix.isEmpty, !label.isNone else { return label }
    if case .raw(let range) = label {
      unescaped.removeAll(keepingCapacity: true)
      unescaped.append(bytes, range.range)
    }
    guard prefix.count + unescaped.count <= limitBytes else {
      throw .invalidParams("\(name) is longer than \(limitBytes) bytes")
    }
    unescaped.insert(contentsOf: prefix, at: 0)
    return .unescaped
  }

  private mutating func read(
    _ value: ByteRange, called name: String, in bytes: Span<UInt8>
  ) throws(RPCError) -> Label {
    switch ValueKind(firstByte: bytes[Int(value.lower)]) {
    case .string: return try readString(value, called: name, in: bytes)
    case .number, .true, .false:
      guard value.count <= limitBytes else {
        throw .invalidParams("\(name) is longer than \(limitBytes) bytes")
      }
      return .raw(value)
    case .null: return .none
    case .array, .object: throw .invalidParams("\(name) must be a string or a number")
    }
  }

  private mutating func readString(
    _ value: ByteRange, called name: String, in bytes: Span<UInt8>
  ) throws(RPCError) -> Label {
    let content = value.withoutQuotes
    let isEscaped = JSONString.hasEscapes(value, in: bytes)
    if isEscaped {
      unescaped.removeAll(keepingCapacity: true)
      guard JSONString.unescape(value, in: bytes, into: &unescaped) else {
        throw .invalidParams("\(name) has a lone surrogate")
      }
    }
    let count = isEscaped ? unescaped.count : content.count
    guard count > 0 else { throw .invalidParams("\(name) is empty") }
    guard count <= limitBytes else { throw .invalidParams("\(name) is longer than \(limitBytes) bytes") }
    return isEscaped ? .unescaped : .raw(content)
  }

  /// Gives the bytes of the label that was read last; nil without one.
  @inline(__always)
  func withBytes<Result>(
    of label: Label, in bytes: Span<UInt8>, _ body: (Span<UInt8>) -> Result
  ) -> Result? {
    switch label {
    case .none: nil
    case .raw(let range): body(bytes.extracting(range.range))
    case .unescaped: body(unescaped.span)
    }
  }
}
