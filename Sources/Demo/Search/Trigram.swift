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

/// The trigrams of one file, each once.
struct TrigramSet {
  private var isMember = [Bool](repeating: false, count: 1 << 18)
  private var members: [UInt32] = []

  mutating func insert(_ text: Range<Int>, of bytes: [UInt8]) {
    Trigram.forEach(in: text, of: bytes) { trigram in
      guard !isMember[Int(trigram)] else { return }
      isMember[Int(trigram)] = true
      members.append(trigram)
    }
  }

  mutating func empty(into collected: inout [UInt32]) {
    for trigram in members { isMember[Int(trigram)] = false }
    collected.append(contentsOf: members)
    members.removeAll(keepingCapacity: true)
  }
}
