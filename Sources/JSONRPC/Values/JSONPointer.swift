/// A place in JSON documents (RFC 6901), read once and then looked up in many without allocating.
package struct JSONPointer: Hashable, Sendable {
  package enum Fault: Error, Hashable {
    /// It is not empty and does not begin with a slash.
    case noLeadingSlash
    /// A tilde is followed by neither 0 nor 1.
    case strayTilde
  }

  private struct Token: Hashable, Sendable {
    var name: [UInt8] = []
    /// The token as an array's index; nil if it is none.
    var index: Int?
  }

  package let text: String
  private let tokens: [Token]

  package init(_ text: String) throws(Fault) {
    guard text.isEmpty || text.utf8.first == UInt8(ascii: "/") else { throw .noLeadingSlash }
    self.text = text
    var tokens: [Token] = []
    for part in text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst() {
      let name = try Self.unescaped(part)
      tokens.append(Token(name: name, index: Self.index(name)))
    }
    self.tokens = tokens
  }

  /// Where the place is in `value`, which has been validated; nil if it has no such place. Of members with the
  /// same name the first one counts.
  package func find(in value: ByteRange, of bytes: Span<UInt8>) -> ByteRange? {
    guard !value.isEmpty else { return nil }
    var found = value
    for place in tokens.indices {
      guard let next = Self.find(tokens[place], in: found, of: bytes) else { return nil }
      found = next
    }
    return found
  }

  private static func find(_ token: Token, in value: ByteRange, of bytes: Span<UInt8>) -> ByteRange? {
    switch bytes[value.range.lowerBound] {
    case UInt8(ascii: "{"): member(token.name, of: value, in: bytes)
    case UInt8(ascii: "["): token.index.flatMap { element($0, of: value, in: bytes) }
    default: nil
    }
  }

  private static func member(_ name: [UInt8], of object: ByteRange, in bytes: Span<UInt8>) -> ByteRange? {
    var reader = ObjectReader(object)
    while let member = reader.next(in: bytes) {
      if member.isNamed(name.span, in: bytes) { return member.value }
    }
    return nil
  }

  private static func element(_ index: Int, of array: ByteRange, in bytes: Span<UInt8>) -> ByteRange? {
    var reader = ArrayReader(array)
    var skipped = 0
    while let element = reader.next(in: bytes) {
      if skipped == index { return element.value }
      skipped += 1
    }
    return nil
  }

  private static func unescaped(_ part: Substring.UTF8View.SubSequence) throws(Fault) -> [UInt8] {
    var name: [UInt8] = []
    var rest = part
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "~") else {
        name.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "0"): name.append(UInt8(ascii: "~"))
      case UInt8(ascii: "1"): name.append(UInt8(ascii: "/"))
      default: throw .strayTilde
      }
    }
    return name
  }

  /// Digits without leading zeros. One that is too large for an Int is no element's either.
  private static func index(_ name: [UInt8]) -> Int? {
    let number = JSONNumber.nonNegativeInteger(ByteRange(name.indices), in: name.span)
    return number.flatMap { Int(exactly: $0) }
  }
}
