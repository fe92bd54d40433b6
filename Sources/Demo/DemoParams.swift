import JSONRPC

/// The named parameters of a request to the demo handler.
struct DemoParams {
  private let text: [UInt8]
  private let count: Int

  init(_ params: [UInt8]) {
    count = params.count
    text = JSONText.padded(params)
  }

  /// The text of the string member `name`; nil if there is none, or none that is UTF-8.
  func string(_ name: StaticString) -> [UInt8]? {
    guard let member = member(name), member.kind == .string else { return nil }
    var string: [UInt8] = []
    return JSONString.unescape(member.value, in: text.span, into: &string) ? string : nil
  }

  func nonNegativeInteger(_ name: StaticString) -> UInt64? {
    guard let member = member(name), member.kind == .number else { return nil }
    return JSONNumber.nonNegativeInteger(member.value, in: text.span)
  }

  private func member(_ name: StaticString) -> Member? {
    guard text.first == UInt8(ascii: "{") else { return nil }
    var object = ObjectReader(ByteRange(0..<count))
    while let member = object.next(in: text.span) {
      if member.isNamed(name, in: text.span) { return member }
    }
    return nil
  }
}
