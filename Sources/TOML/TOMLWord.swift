/// A value that stands for itself, without quotes or brackets: a number, true or false, a date.
struct TOMLWord {
  private let bytes: ArraySlice<UInt8>
  private let place: Place

  init(_ bytes: ArraySlice<UInt8>, at place: Place) {
    self.bytes = bytes
    self.place = place
  }

  func content() throws(TOMLFault) -> TOMLEntry.Content {
    switch text {
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    default: break
    }
    if let float { return .float(float) }
    if let (digits, radix) = integer {
      guard let number = Int(digits, radix: radix) else {
        throw TOMLFault(place, "\(Quoted.text(text)) does not fit into 64 bits")
      }
      return .integer(number)
    }
    if let moment = TOMLMoment(bytes) { return .moment(moment, text) }
    throw TOMLFault(place, "\(Quoted.text(text)) is no value\(hint)")
  }

  private var text: String { String(decoding: bytes, as: UTF8.self) }

  private var hint: String {
    let word = text.lowercased()
    if ["true", "false"].contains(word) { return "; did you mean \(Quoted.text(word))?" }
    let digits = withoutSign.filter { $0 != UInt8(ascii: "_") }
    if digits.count > 1 && digits.first == UInt8(ascii: "0") && digits.allSatisfy(\.isDigit) {
      return ": a number must not begin with 0"
    }
    return "; a string stands in quotes"
  }

  // MARK: Numbers

  private var withoutSign: ArraySlice<UInt8> {
    bytes.first == UInt8(ascii: "+") || bytes.first == UInt8(ascii: "-") ? bytes.dropFirst() : bytes
  }

  /// Its digits, with the sign, as far as its form is right.
  private var integer: (digits: String, radix: Int)? {
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where bytes.starts(with: prefix.utf8) {
      let digits = bytes.dropFirst(prefix.utf8.count)
      return Self.areDigits(digits, radix: radix) ? (Self.plain(digits), radix) : nil
    }
    return Self.isDecimal(withoutSign) ? (Self.plain(bytes), 10) : nil
  }

  private var float: Double? {
    if withoutSign.elementsEqual("inf".utf8) {
      return bytes.first == UInt8(ascii: "-") ? -.infinity : .infinity
    }
    if withoutSign.elementsEqual("nan".utf8) { return .nan }
    let parts = withoutSign.split(maxSplits: 1, omittingEmptySubsequences: false) {
      $0 | 0x20 == UInt8(ascii: "e")
    }
    let halves = parts[0].split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count + halves.count > 2, Self.isDecimal(halves[0]),
      halves.dropFirst().allSatisfy({ Self.areDigits($0, radix: 10) }),
      parts.dropFirst().allSatisfy({ Self.isExponent($0) })
    else { return nil }
    return Double(Self.plain(bytes))
  }

  private static func isExponent(_ word: ArraySlice<UInt8>) -> Bool {
    let hasSign = word.first == UInt8(ascii: "+") || word.first == UInt8(ascii: "-")
    return areDigits(hasSign ? word.dropFirst() : word, radix: 10)
  }

  /// Without a sign.
  private static func isDecimal(_ word: ArraySlice<UInt8>) -> Bool {
    areDigits(word, radix: 10) && (word.count == 1 || word.first != UInt8(ascii: "0"))
  }

  /// Each `_` stands between two of them.
  private static func areDigits(_ word: ArraySlice<UInt8>, radix: Int) -> Bool {
    var wasDigit = false
    for byte in word {
      let isDigit = Character(Unicode.Scalar(byte)).hexDigitValue.map { $0 < radix } ?? false
      guard isDigit || byte == UInt8(ascii: "_") && wasDigit else { return false }
      wasDigit = isDigit
    }
    return wasDigit
  }

  private static func plain(_ word: ArraySlice<UInt8>) -> String {
    String(decoding: word.filter { $0 != UInt8(ascii: "_") }, as: UTF8.self)
  }
}
