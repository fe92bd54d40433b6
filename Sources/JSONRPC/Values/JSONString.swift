/// Reads the content of strings that have been validated.
@usableFromInline
package enum JSONString {
  /// Appends the UTF-8 bytes of the string at `raw`, which has its quotes, with its escapes resolved. When
  /// the result is false the string has a lone surrogate, and what was appended is no UTF-8.
  package static func unescape(
    _ raw: ByteRange, in bytes: Span<UInt8>, into output: inout [UInt8]
  ) -> Bool {
    guard hasEscapes(raw, in: bytes) else {
      output.append(raw.withoutQuotes.range, of: bytes)
      return true
    }
    var unescaped = UnescapedBytes(raw)
    while let byte = unescaped.next(in: bytes) { output.append(byte) }
    return !unescaped.hasLoneSurrogate
  }

  /// Of a string, with its quotes or without.
  @inlinable @inline(always)
  package static func hasEscapes(_ raw: ByteRange, in bytes: Span<UInt8>) -> Bool {
    var position = Int(raw.lower)
    let end = Int(raw.upper)
    guard end <= bytes.count &- ByteWord.byteCount else { return hasEscapesAtTheEnd(raw, in: bytes) }
    while position < end {
      let count = ByteWord.byteCount(before: ByteWord(at: position, in: bytes).backslashMarks)
      if count < ByteWord.byteCount { return position &+ count < end }
      position &+= ByteWord.byteCount
    }
    return false
  }

  /// The same of a string that no slack follows.
  @usableFromInline @inline(never)
  static func hasEscapesAtTheEnd(_ raw: ByteRange, in bytes: Span<UInt8>) -> Bool {
    bytes.firstOffset(of: UInt8(ascii: "\\"), in: raw.range) != nil
  }

  /// Whether the string at `raw`, which has its quotes, says `text` once its escapes are resolved.
  package static func equals(_ raw: ByteRange, in bytes: Span<UInt8>, _ text: StaticString) -> Bool {
    contentEquals(raw.withoutQuotes.range, in: bytes, text)
  }

  /// The same for UTF-8 bytes.
  package static func equals(_ raw: ByteRange, in bytes: Span<UInt8>, _ text: Span<UInt8>) -> Bool {
    var unescaped = UnescapedBytes(raw)
    for index in text.indices {
      guard unescaped.next(in: bytes) == text[index] else { return false }
    }
    return unescaped.next(in: bytes) == nil
  }

  /// Whether the string at `raw`, which has its quotes, begins with `text` once its escapes are resolved.
  package static func begins(_ raw: ByteRange, in bytes: Span<UInt8>, with text: StaticString) -> Bool {
    var unescaped = UnescapedBytes(raw)
    for offset in 0..<text.utf8CodeUnitCount {
      guard unescaped.next(in: bytes) == text.byte(at: offset) else { return false }
    }
    return true
  }

  static func contentEquals(_ content: Range<Int>, in bytes: Span<UInt8>, _ text: StaticString) -> Bool {
    if bytes.holds(text, in: content) { return true }
    guard bytes.firstOffset(of: UInt8(ascii: "\\"), in: content) != nil else { return false }
    var unescaped = UnescapedBytes(content: content)
    for offset in 0..<text.utf8CodeUnitCount {
      guard unescaped.next(in: bytes) == text.byte(at: offset) else { return false }
    }
    return unescaped.next(in: bytes) == nil
  }
}
