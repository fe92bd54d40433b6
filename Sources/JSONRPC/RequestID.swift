/// A client's id, kept byte for byte.
@usableFromInline
package struct RequestID: Hashable, Sendable {
  /// Longer ids live on the heap.
  @inlinable package static var inlineByteCount: Int { 24 }

  /// The bytes as they stand there, NUL behind them.
  @usableFromInline var words = InlineArray<3, UInt64>(repeating: 0)
  @usableFromInline var inlineCount: UInt8 = 0
  @usableFromInline var long: [UInt8]?

  /// The id of a notification: none.
  package init() {}

  package init(_ raw: ByteRange, in bytes: Span<UInt8>) {
    let (start, count) = (Int(raw.lower), raw.count)
    if count > Self.inlineByteCount {
      long = []
      long?.append(raw.range, of: bytes)
    } else {
      inlineCount = UInt8(truncatingIfNeeded: count)
      if start <= bytes.count - Self.inlineByteCount {
        words[0] = ByteWord(at: start, in: bytes).prefix(count).inMemory
        words[1] = ByteWord(at: start + 8, in: bytes).prefix(max(0, count - 8)).inMemory
        words[2] = ByteWord(at: start + 16, in: bytes).prefix(max(0, count - 16)).inMemory
      } else {
        copyBytes(raw, of: bytes)
      }
    }
  }

  /// Of a text that ends too soon for whole words.
  @inline(never)
  private mutating func copyBytes(_ raw: ByteRange, of bytes: Span<UInt8>) {
    for (offset, index) in raw.range.enumerated() {
      words[offset / 8] |= (UInt64(bytes[index]) << UInt64(offset % 8 * 8)).littleEndian
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
  /// Whether it has at most `inlineByteCount` bytes.
  @inlinable package var isShort: Bool { long == nil }

  @inlinable
  package func withBytes<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if let long { return try body(long.span) }
    // Any bytes will do as bytes.
    return try body(unsafe Span<UInt8>(_bytes: words.span.bytes.extracting(0..<Int(inlineCount))))
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
    if first.long != nil || second.long != nil { return first.long == second.long }
    return first.inlineCount == second.inlineCount && first.words[0] == second.words[0]
      && first.words[1] == second.words[1] && first.words[2] == second.words[2]
  }

  @usableFromInline
  package func hash(into hasher: inout Hasher) {
    withBytes { bytes in
      hasher.combine(bytes.count)
      for index in bytes.indices { hasher.combine(bytes[index]) }
    }
  }
}
