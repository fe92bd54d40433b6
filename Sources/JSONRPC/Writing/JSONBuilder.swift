/// Writes JSON text from values: bytes that are no UTF-8 become replacement characters.
package struct JSONBuilder {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func object(_ members: (inout JSONBuilder) -> Void) {
    bytes.append(UInt8(ascii: "{"))
    members(&self)
    bytes.append(UInt8(ascii: "}"))
  }

  package mutating func member(_ name: StaticString, _ string: [UInt8]) {
    member(name, String(decoding: string, as: UTF8.self))
  }

  package mutating func member(_ name: StaticString, _ text: String) {
    begin(name)
    MessageWriter.appendString(text, into: &bytes)
  }

  package mutating func member(_ name: StaticString, _ number: some FixedWidthInteger) {
    begin(name)
    bytes.append(contentsOf: String(number).utf8)
  }

  package mutating func member(_ name: StaticString, _ members: (inout JSONBuilder) -> Void) {
    begin(name)
    object(members)
  }

  /// An array of objects.
  package mutating func array<Element>(
    _ name: StaticString, _ elements: [Element], _ members: (inout JSONBuilder, Element) -> Void
  ) {
    list(name, elements) { json, element in json.object { members(&$0, element) } }
  }

  package mutating func array(_ name: StaticString, _ strings: [String]) {
    list(name, strings) { MessageWriter.appendString($1, into: &$0.bytes) }
  }

  package mutating func numbers(_ name: StaticString, _ numbers: [UInt64]) {
    list(name, numbers) { $0.bytes.append(decimal: $1) }
  }

  /// An array of pairs, each an array itself.
  package mutating func pairs(_ name: StaticString, _ pairs: [(UInt64, UInt64)]) {
    list(name, pairs) { json, pair in
      json.bytes.append(contentsOf: "[\(pair.0),\(pair.1)]".utf8)
    }
  }

  private mutating func list<Element>(
    _ name: StaticString, _ elements: [Element], _ write: (inout JSONBuilder, Element) -> Void
  ) {
    begin(name)
    bytes.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      write(&self, element)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func begin(_ name: StaticString) {
    if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
    MessageWriter.appendString("\(name)", into: &bytes)
    bytes.append(UInt8(ascii: ":"))
  }
}
