/// Writes JSON text from values: bytes that are no UTF-8 become replacement characters.
struct JSONBuilder {
  private(set) var bytes: [UInt8] = []

  mutating func object(_ members: (inout JSONBuilder) -> Void) {
    bytes.append(UInt8(ascii: "{"))
    members(&self)
    bytes.append(UInt8(ascii: "}"))
  }

  mutating func member(_ name: StaticString, _ string: [UInt8]) {
    begin(name)
    append(string)
  }

  mutating func member(_ name: StaticString, _ number: Int) {
    begin(name)
    bytes.append(contentsOf: String(number).utf8)
  }

  mutating func array<Element>(
    _ name: StaticString, _ elements: [Element], _ members: (inout JSONBuilder, Element) -> Void
  ) {
    begin(name)
    bytes.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      object { members(&$0, element) }
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func begin(_ name: StaticString) {
    if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
    append(Array("\(name)".utf8))
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func append(_ string: [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in String(decoding: string, as: UTF8.self).utf8 { append(escaping: byte) }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func append(escaping byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      bytes += [UInt8(ascii: "\\"), byte]
    case ..<0x20:
      bytes += Array(#"\u00"#.utf8) + [hexDigit(byte >> 4), hexDigit(byte & 15)]
    default:
      bytes.append(byte)
    }
  }

  private func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
