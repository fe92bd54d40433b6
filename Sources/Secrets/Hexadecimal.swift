/// Bytes as pairs of hexadecimal digits, as digests are written in files.
package enum Hexadecimal {
  /// In small letters.
  package static func text(of bytes: [UInt8]) -> String {
    String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// The bytes that `text` stands for, in small or capital letters; nil if it is anything else.
  package static func bytes(of text: String) -> [UInt8]? {
    let values = text.utf8.map(value)
    guard values.count.isMultiple(of: 2), !values.contains(nil) else { return nil }
    return stride(from: 0, to: values.count, by: 2).compactMap { at in
      values[at].flatMap { high in values[at + 1].map { low in high << 4 | low } }
    }
  }

  private static let digits = Array("0123456789abcdef".utf8)

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
