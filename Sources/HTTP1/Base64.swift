/// Bytes as text, with padding (RFC 4648 section 4).
package enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  package static func text(of bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      text += [18, 12, 6, 0].map { alphabet[bits >> $0 & 63] }.prefix(group.count + 1)
      text += repeatElement(UInt8(ascii: "="), count: 3 - group.count)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes for which a text stands; nil: it is none, or says something behind the last of them.
  package static func bytes(of text: [UInt8]) -> [UInt8]? {
    guard text.count.isMultiple(of: 4) else { return nil }
    let padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
    guard padding < 2 || text[text.count - 2] == UInt8(ascii: "=") else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var (bits, count) = (0, 0)
    for character in text.dropLast(padding) {
      guard let digit = alphabet.firstIndex(of: character) else { return nil }
      bits = bits << 6 | digit
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      bits &= 1 << count - 1
    }
    return bits == 0 ? bytes : nil
  }

  /// Whether it stands for 16 bytes. What its last character says beyond them does not matter.
  package static func isOf16Bytes(_ text: String) -> Bool {
    let text = text.utf8
    return text.count == 24 && text.hasSuffix("==") && text.dropLast(2).allSatisfy(alphabet.contains)
  }
}

extension String.UTF8View {
  fileprivate func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
