import JSONRPC

/// The members of one JSON object, no two of the same name: a token's header, its claims, a set of keys, or a key.
struct JSONMembers {
  /// Deeper texts are nobody's claims, and refused.
  static let nestingLevels = 16

  private let bytes: [UInt8]
  private var members: [[UInt8]: Member] = [:]

  init(_ text: [UInt8]) throws(TokenFault) {
    guard let (padded, object) = JSONText.object(text, nestingLevels: Self.nestingLevels) else { throw .form }
    try self.init(padded: padded, object)
  }

  private init(padded bytes: [UInt8], _ object: ByteRange) throws(TokenFault) {
    self.bytes = bytes
    var reader = ObjectReader(object)
    while let member = reader.next(in: bytes.span) {
      var name: [UInt8] = []
      // The reader's range is that of the name without its quotes.
      let quoted = ByteRange(member.name.range.lowerBound - 1..<member.name.range.upperBound + 1)
      guard JSONString.unescape(quoted, in: bytes.span, into: &name) else { throw .form }
      guard members.updateValue(member, forKey: name) == nil else { throw .repeatedMember }
    }
  }

  func has(_ name: String) -> Bool { member(name) != nil }

  private func member(_ name: String) -> Member? { members[Array(name.utf8)] }

  // MARK: Values

  /// A string, its escapes resolved; nil: there is no such member.
  func string(_ name: String) throws(TokenFault) -> [UInt8]? {
    guard let member = member(name) else { return nil }
    return try text(member.value, member.kind)
  }

  private func text(_ value: ByteRange, _ kind: ValueKind) throws(TokenFault) -> [UInt8] {
    var text: [UInt8] = []
    guard kind == .string, JSONString.unescape(value, in: bytes.span, into: &text) else { throw .claim }
    return text
  }

  /// One string, or an array of strings.
  func strings(_ name: String) throws(TokenFault) -> [[UInt8]]? {
    guard let member = member(name) else { return nil }
    guard member.kind == .array else { return [try text(member.value, member.kind)] }
    var items: [[UInt8]] = []
    var reader = ArrayReader(member.value)
    while let item = reader.next(in: bytes.span) { items.append(try text(item.value, item.kind)) }
    return items
  }

  /// The objects of an array.
  func objects(_ name: String) throws(TokenFault) -> [JSONMembers]? {
    guard let member = member(name) else { return nil }
    guard member.kind == .array else { throw .claim }
    var items: [JSONMembers] = []
    var reader = ArrayReader(member.value)
    while let item = reader.next(in: bytes.span) {
      guard item.kind == .object else { throw .claim }
      items.append(try JSONMembers(padded: bytes, item.value))
    }
    return items
  }

  /// A moment (RFC 7519, section 2, `NumericDate`): whole seconds since 1970, and whether a fraction follows. Signs,
  /// exponents, and years after 9999 are refused.
  func seconds(_ name: String) throws(TokenFault) -> (whole: Int64, hasFraction: Bool)? {
    guard let member = member(name) else { return nil }
    guard member.kind == .number else { throw .claim }
    let range = member.value.range
    let point = bytes[range].firstIndex(of: UInt8(ascii: "."))
    let end = point ?? range.upperBound
    let isPlain = bytes[end..<range.upperBound].allSatisfy { $0 | 0x20 != UInt8(ascii: "e") }
    guard isPlain, range.lowerBound < end,
      let whole = JSONNumber.nonNegativeInteger(ByteRange(range.lowerBound..<end), in: bytes.span),
      whole <= Self.lastSecond
    else { throw .claim }
    return (Int64(whole), point != nil)
  }

  /// Of the year 9999.
  private static let lastSecond: UInt64 = 253_402_300_799
}
