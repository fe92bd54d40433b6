/// A text in which `~` stands for a number.
struct Template: Sendable {
  private let before: [UInt8]
  private let after: [UInt8]
  let hasNumber: Bool

  init(_ text: String) { self.init(Array(text.utf8)) }

  init(_ bytes: [UInt8]) {
    let place = bytes.firstIndex(of: UInt8(ascii: "~"))
    hasNumber = place != nil
    before = place.map { Array(bytes[..<$0]) } ?? bytes
    after = place.map { Array(bytes[($0 + 1)...]) } ?? []
  }

  private init(_ before: [UInt8], _ after: [UInt8], hasNumber: Bool) {
    self.before = before
    self.after = after
    self.hasNumber = hasNumber
  }

  /// The same with spaces for what ends lines.
  var withoutLineBreaks: Template {
    func replaced(_ bytes: [UInt8]) -> [UInt8] {
      bytes.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
    }
    return Template(replaced(before), replaced(after), hasNumber: hasNumber)
  }

  func append(_ number: Int, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: before)
    guard hasNumber else { return }
    bytes.append(digitsOf: number)
    bytes.append(contentsOf: after)
  }

  /// Whether these bytes are the text with this number.
  func matches(_ number: Int, _ bytes: ArraySlice<UInt8>) -> Bool {
    guard hasNumber else { return bytes.elementsEqual(before) }
    let digits = bytes.dropFirst(before.count).prefix { $0.isDigit }
    let rest = bytes[digits.endIndex...]
    return bytes.starts(with: before) && rest.elementsEqual(after)
      && (digits.count == 1 || digits.first != UInt8(ascii: "0"))
      && [UInt8].firstNumber(in: digits) == number
  }
}

extension [UInt8] {
  mutating func append(digitsOf number: Int) {
    var (rest, scale) = (number, 1)
    while rest / scale >= 10 { scale *= 10 }
    while scale > 0 {
      append(UInt8(ascii: "0") + UInt8(rest / scale))
      rest %= scale
      scale /= 10
    }
  }

  mutating func append(_ text: String) { append(contentsOf: text.utf8) }

  /// What is left of a number of at most nine digits that stands first among these bytes.
  static func firstNumber(in bytes: ArraySlice<UInt8>) -> Int? {
    guard let start = bytes.firstIndex(where: \.isDigit) else { return nil }
    var number = 0
    for byte in bytes[start...] {
      guard byte.isDigit else { break }
      number = (number * 10 + Int(byte - UInt8(ascii: "0"))) % 1_000_000_000
    }
    return number
  }

  /// The last nine digits of the number that stands last among these bytes.
  static func lastNumber(in bytes: ArraySlice<UInt8>) -> Int? {
    guard let end = bytes.lastIndex(where: \.isDigit) else { return nil }
    var (number, scale) = (0, 1)
    for byte in bytes[...end].reversed() {
      guard byte.isDigit, scale < 1_000_000_000 else { break }
      number += scale * Int(byte - UInt8(ascii: "0"))
      scale *= 10
    }
    return number
  }
}

extension UInt8 {
  var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }
}
