import JSONRPC

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

  /// A label that came from elsewhere, within the bound.
  mutating func take(_ label: [UInt8]) -> Label {
    unescaped = label
    return .unescaped
  }

  /// A label without escapes, with its quotes; nil when it is empty or over the bound.
  @inline(__always)
  func plain(_ value: ByteRange) -> Label? {
    let content = value.withoutQuotes
    return content.isEmpty || content.count > limitBytes ? nil : .raw(content)
  }

  /// The same of a value that a route points at, which need not be meant as a label: a number or a truth value is
  /// one as it stands there, null is none. One that is too long is shortened: its client did not choose it as a label.
  /// - Parameter prefix: stands before it, and counts as part of it.
  mutating func read(
    _ value: ByteRange, called name: String, prefix: [UInt8], in bytes: Span<UInt8>
  ) throws(RPCError) -> Label {
    let label = try read(value, called: name, in: bytes)
    let count = withBytes(of: label, in: bytes) { $0.count } ?? 0
    guard count > 0, !prefix.isEmpty || count > limitBytes else { return label }
    if case .raw(let range) = label {
      unescaped.removeAll(keepingCapacity: true)
      unescaped.append(bytes, range.range)
    }
    unescaped.insert(contentsOf: prefix, at: 0)
    if unescaped.count > limitBytes { LongLabel.shorten(&unescaped, to: limitBytes) }
    return .unescaped
  }

  private mutating func read(
    _ value: ByteRange, called name: String, in bytes: Span<UInt8>
  ) throws(RPCError) -> Label {
    switch ValueKind(firstByte: bytes[Int(value.lower)]) {
    case .string: return try readAnyString(value, called: name, in: bytes)
    case .number, .true, .false: return .raw(value)
    case .null: return .none
    case .array, .object: throw .invalidParams("\(name) must be a string or a number")
    }
  }

  private mutating func readString(
    _ value: ByteRange, called name: String, in bytes: Span<UInt8>
  ) throws(RPCError) -> Label {
    let label = try readAnyString(value, called: name, in: bytes)
    let count = withBytes(of: label, in: bytes) { $0.count } ?? 0
    guard count <= limitBytes else { throw .invalidParams("\(name) is longer than \(limitBytes) bytes") }
    return label
  }

  /// However long it is.
  private mutating func readAnyString(
    _ value: ByteRange, called name: String, in bytes: Span<UInt8>
  ) throws(RPCError) -> Label {
    let content = value.withoutQuotes
    guard !content.isEmpty else { throw .invalidParams("\(name) is empty") }
    guard JSONString.hasEscapes(value, in: bytes) else { return .raw(content) }
    unescaped.removeAll(keepingCapacity: true)
    guard JSONString.unescape(value, in: bytes, into: &unescaped) else {
      throw .invalidParams("\(name) has a lone surrogate")
    }
    return .unescaped
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
