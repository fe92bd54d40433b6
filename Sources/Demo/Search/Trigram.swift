/// Three bytes side by side, each by its class, as a number of 18 bits.
enum Trigram {
  private static let classes: [UInt32] = (0...255).map { code(of: UInt8($0).folded) }

  /// The trigrams of a query, each once.
  static func all(in bytes: [UInt8]) -> Set<Int> {
    Set(
      bytes.indices.dropLast(2).map { start in
        Int(bytes[start...start + 2].reduce(0) { ($0 << 6) | classes[Int($1)] })
      })
  }

  static func forEach(in text: Range<Int>, of bytes: [UInt8], _ body: (UInt32) -> Void) {
    guard text.count >= 3 else { return }
    let classes = Self.classes
    var trigram = classes[Int(bytes[text.lowerBound])] << 6 | classes[Int(bytes[text.lowerBound + 1])]
    for index in text.dropFirst(2) {
      trigram = (trigram << 6 | classes[Int(bytes[index])]) & 0x3ffff
      body(trigram)
    }
  }

  private static func code(of byte: UInt8) -> UInt32 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a"))
    case UInt8(ascii: "0")...UInt8(ascii: "9"): 26 + UInt32(byte - UInt8(ascii: "0"))
    default: 36 + UInt32(byte) % 28
    }
  }
}
