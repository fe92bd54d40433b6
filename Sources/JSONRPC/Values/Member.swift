/// One member of a JSON object: where its name and its value lie.
@usableFromInline
package struct Member: Sendable {
  /// The name as it stands there, without its quotes.
  @usableFromInline package var name: ByteRange
  @usableFromInline package var nameHasEscapes: Bool
  @usableFromInline package var value: ByteRange
  @usableFromInline package var kind: ValueKind

  /// Whether the name, its escapes resolved, is `name`.
  package func isNamed(_ name: StaticString, in bytes: Span<UInt8>) -> Bool {
    nameHasEscapes
      ? JSONString.contentEquals(self.name.range, in: bytes, name) : bytes.holds(name, in: self.name.range)
  }

  /// The same for the UTF-8 bytes of a name.
  package func isNamed(_ name: Span<UInt8>, in bytes: Span<UInt8>) -> Bool {
    guard nameHasEscapes else { return bytes.extracting(self.name.range).equals(name) }
    var unescaped = UnescapedBytes(content: self.name.range)
    for index in name.indices {
      guard unescaped.next(in: bytes) == name[index] else { return false }
    }
    return unescaped.next(in: bytes) == nil
  }
}
