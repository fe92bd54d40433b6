/// A setting's value as it is written in files, the environment and flags.
package enum SettingValue: Hashable, Sendable {
  case integer(Int)
  case boolean(Bool)
  case text(String)
  case list([String])

  /// The value in TOML.
  package var toml: String {
    switch self {
    case .integer(let number): Self.grouped(number)
    case .boolean(let flag): "\(flag)"
    case .text(let text): Self.quoted(text)
    case .list(let items): "[\(items.map(Self.quoted).joined(separator: ", "))]"
    }
  }

  /// A number with its digits in groups, such as `4_194_304`, for people.
  static func grouped(_ number: Int) -> String {
    let digits = String(number)
    guard digits.utf8.count > 4 else { return digits }
    var result = ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && (digits.count - index) % 3 == 0 { result += "_" }
      result.append(digit)
    }
    return result
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" {
        result += "\\\(scalar)"
      } else if scalar.value < 0x20 || scalar.value == 0x7f {
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
