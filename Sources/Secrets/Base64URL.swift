/// Bytes as text that needs no quoting in URLs, headers and files (RFC 4648, section 5).
package enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// Without padding: 4 characters for each 3 bytes, and 2 or 3 for what is left.
  package static func text(of bytes: [UInt8]) -> String {
    let groups = stride(from: 0, to: bytes.count, by: 3).map { bytes[$0..<min($0 + 3, bytes.count)] }
    return String(decoding: groups.flatMap(characters), as: UTF8.self)
  }

  private static func characters(of group: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
    return [18, 12, 6, 0].map { alphabet[bits >> $0 & 63] }.prefix(group.count + 1)
  }

  // MARK: Reading

  /// The bytes that `text` stands for. There is one text for each: nil with padding, white space or any other character,
  /// with one character too many, and with bits at the end that belong to no byte.
  package static func bytes(of text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count * 3 / 4)
    var (bits, count) = (0, 0)
    for character in text {
      guard let value = value(of: character) else { return nil }
      bits = (bits << 6 | value) & 0xFFFF
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> count))
    }
    return bits & ((1 << count) - 1) == 0 ? bytes : nil
  }

  private static func value(of character: UInt8) -> Int? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(character - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(character - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
