/// An id of few bytes, as nearly all are: it lies where it is kept, and is copied bit by bit.
@usableFromInline
package struct ShortRequestID: Hashable, Sendable, BitwiseCopyable {
  /// The most bytes that one has.
  @inlinable package static var limitBytes: Int { 24 }

  /// The bytes as they stand there, and others behind them that mean nothing.
  @usableFromInline var words = InlineArray<3, UInt64>(repeating: 0)
  @usableFromInline var byteCount: UInt8 = 0

  /// The id of a notification: none.
  @inlinable package init() {}

  /// - Parameter raw: at most `limitBytes`.
  @inlinable @inline(__always)
  package init(_ raw: ByteRange, in bytes: Span<UInt8>) {
    let (start, count) = (Int(raw.lower), raw.count)
    precondition(count <= Self.limitBytes, "a long id")
    byteCount = UInt8(truncatingIfNeeded: count)
    if start <= bytes.count - Self.limitBytes {
      words[0] = ByteWord(at: start, in: bytes).inMemory
      words[1] = ByteWord(at: start &+ 8, in: bytes).inMemory
      words[2] = ByteWord(at: start &+ 16, in: bytes).inMemory
    } else {
      copyBytes(raw, of: bytes)
    }
  }

  /// Of a text that ends too soon for whole words.
  @usableFromInline @inline(never)
  mutating func copyBytes(_ raw: ByteRange, of bytes: Span<UInt8>) {
    for (offset, index) in raw.range.enumerated() {
      words[offset / 8] |= (UInt64(bytes[index]) << UInt64(offset % 8 * 8)).littleEndian
    }
  }

  @inlinable package var count: Int { Int(byteCount) }
  @inlinable package var isAbsent: Bool { byteCount == 0 }
  /// The number that it is; nil: it is none in plain digits.
  @inlinable package var number: UInt64? {
    // Any bytes will do as bytes.
    JSONNumber.nonNegativeInteger(ByteRange(0..<count), in: unsafe Span<UInt8>(_bytes: words.span.bytes))
  }

  @inlinable
  package func withBytes<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // Any bytes will do as bytes.
    try body(unsafe Span<UInt8>(_bytes: words.span.bytes.extracting(0..<count)))
  }

  @inlinable @inline(__always)
  package func write<Sink: ByteSink & ~Copyable>(into sink: inout Sink) { sink.append(words, count) }

  @usableFromInline
  package static func == (first: Self, second: Self) -> Bool {
    first.byteCount == second.byteCount
      && first.words.indices.allSatisfy { first.word($0) == second.word($0) }
  }

  @usableFromInline
  package func hash(into hasher: inout Hasher) {
    hasher.combine(byteCount)
    for index in words.indices { hasher.combine(word(index)) }
  }

  /// What of a word belongs to the id.
  private func word(_ index: Int) -> ByteWord {
    ByteWord(bits: UInt64(littleEndian: words[index])).prefix(max(0, count - index * ByteWord.byteCount))
  }
}
