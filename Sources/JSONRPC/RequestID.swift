/// A client's id, kept byte for byte.
@usableFromInline
package struct RequestID: Hashable, Sendable {
  /// Longer ids live on the heap.
  package static let inlineByteCount = 24

  @usableFromInline var inline = InlineArray<24, UInt8>(repeating: 0)
  @usableFromInline var inlineCount: UInt8 = 0
  @usableFromInline var long: [UInt8]?

  /// The id of a notification: none.
  package init() {}

  package init(_ raw: ByteRange, in bytes: Span<UInt8>) {
    if raw.count > Self.inlineByteCount {
      long = []
      long?.append(raw.range, of: bytes)
    } else {
      inlineCount = UInt8(raw.count)
      for offset in 0..<raw.count { inline[offset] = bytes[Int(raw.lower) + offset] }
    }
  }

  /// A number.
  package init(_ number: UInt64) {
    var digits: [UInt8] = []
    digits.append(decimal: number)
    self.init(ByteRange(digits.indices), in: digits.span)
  }

  @usableFromInline package var count: Int { long?.count ?? Int(inlineCount) }

  @inlinable package var isAbsent: Bool { count == 0 }

  @inlinable
  package func withBytes<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if let long { return try body(long.span) }
    return try body(inline.span.extracting(0..<Int(inlineCount)))
  }

  /// Whether `raw` is this id as a JSON value: the same bytes, or strings that say the same.
  package func matches(_ raw: ByteRange, in bytes: Span<UInt8>) -> Bool {
    withBytes { own in
      let other = bytes.extracting(raw.range)
      return own.equals(other) || Self.saySame(own, other)
    }
  }

  private static func saySame(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Bool {
    guard isString(first), isString(second) else { return false }
    var one = UnescapedBytes(content: 1..<first.count - 1)
    var other = UnescapedBytes(content: 1..<second.count - 1)
    while true {
      let byte = one.next(in: first)
      guard byte == other.next(in: second) else { return false }
      if byte == nil { return true }
    }
  }

  private static func isString(_ raw: Span<UInt8>) -> Bool {
    raw.count >= 2 && raw[0] == UInt8(ascii: "\"")
  }

  @usableFromInline
  package static func == (first: Self, second: Self) -> Bool {
    first.withBytes { one in second.withBytes { other in one.equals(other) } }
  }

  @usableFromInline
  package func hash(into hasher: inout Hasher) {
    withBytes { bytes in
      hasher.combine(bytes.count)
      for index in bytes.indices { hasher.combine(bytes[index]) }
    }
  }
}
