import JSONRPC

/// One JSON object of an answer. As protocol buffers are written in JSON, numbers of 64 bits are strings of digits, and
/// what is zero, false or empty is left out.
struct EtcdObject {
  /// Deeper texts are no answers of etcd's.
  private static let nestingLevels = 16

  private let bytes: [UInt8]
  private let object: ByteRange

  /// Nil: it is no object.
  init?(_ text: [UInt8]) {
    guard let (padded, object) = JSONText.object(text, nestingLevels: Self.nestingLevels) else { return nil }
    self.init(padded: padded, object)
  }

  private init(padded bytes: [UInt8], _ object: ByteRange) {
    self.bytes = bytes
    self.object = object
  }

  private func member(_ name: StaticString) -> Member? {
    var reader = ObjectReader(object)
    while let member = reader.next(in: bytes.span) {
      if member.isNamed(name, in: bytes.span) { return member }
    }
    return nil
  }

  func bytes(_ name: StaticString) -> [UInt8]? {
    guard let member = member(name), member.kind == .string else { return nil }
    var text: [UInt8] = []
    return JSONString.unescape(member.value, in: bytes.span, into: &text) ? text : nil
  }

  func string(_ name: StaticString) -> String? {
    bytes(name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Of digits alone, as a number or in quotes.
  func number(_ name: StaticString) -> UInt64? {
    guard let member = member(name) else { return nil }
    switch member.kind {
    case .number: return JSONNumber.nonNegativeInteger(member.value, in: bytes.span)
    case .string: return JSONNumber.nonNegativeInteger(member.value.withoutQuotes, in: bytes.span)
    default: return nil
    }
  }

  func isTrue(_ name: StaticString) -> Bool {
    guard let member = member(name) else { return false }
    return bytes[member.value.range].elementsEqual("true".utf8)
  }

  func object(_ name: StaticString) -> EtcdObject? {
    guard let member = member(name), member.kind == .object else { return nil }
    return EtcdObject(padded: bytes, member.value)
  }

  /// The objects of an array; none if there is none.
  func objects(_ name: StaticString) -> [EtcdObject] {
    guard let member = member(name), member.kind == .array else { return [] }
    var objects: [EtcdObject] = []
    var reader = ArrayReader(member.value)
    while let item = reader.next(in: bytes.span) {
      if item.kind == .object { objects.append(EtcdObject(padded: bytes, item.value)) }
    }
    return objects
  }
}
