import TOML

/// What a text says, in a form that is compared.
func said(_ text: String) throws(TOMLFault) -> String { try said(Array(text.utf8)) }

func said(_ bytes: [UInt8], within limits: TOMLLimits = TOMLLimits()) throws(TOMLFault) -> String {
  try TOMLReader.read(bytes, within: limits).content.plain
}

/// What a text is refused for; nil if it is read.
func fault(_ text: String, within limits: TOMLLimits = TOMLLimits()) -> String? {
  do throws(TOMLFault) {
    _ = try said(Array(text.utf8), within: limits)
    return nil
  } catch {
    let earlier = error.earlier.map { " \($0.line):\($0.column)" } ?? ""
    return "\(error.place.line):\(error.place.column) \(error.message)\(earlier)"
  }
}

extension TOMLEntry.Content {
  /// The value alone, as `judge.py` writes it, too.
  var plain: String {
    switch self {
    case .integer(let number): "i\(number)"
    case .float(let number) where number.isNaN: "fnan"
    case .float(let number): "f\(String(number.bitPattern, radix: 16))"
    case .boolean(let flag): "b\(flag ? 1 : 0)"
    case .text(let text): "s" + Self.hex(text)
    case .moment(let kind, let text): "\(kind.rawValue) \(Self.uniform(text))"
    case .list(let items): "[" + items.map { $0.content.plain + "," }.joined() + "]"
    case .table(let members):
      "{"
        + members.map { (Self.hex($0.name), $0.entry.content.plain) }.sorted { $0.0 < $1.0 }
        .map { "\($0)=\($1)," }.joined() + "}"
    }
  }

  private static func hex(_ text: String) -> String {
    text.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  /// Microseconds, if any, and the difference from UTC as hours and minutes.
  private static func uniform(_ moment: String) -> String {
    var text = moment.uppercased().replacing(" ", with: "T").replacing("Z", with: "+00:00")
    if text.hasSuffix("-00:00") { text = text.dropLast(6) + "+00:00" }
    guard let point = text.firstIndex(of: ".") else { return text }
    let digits = text[text.index(after: point)...].prefix { $0.isNumber }
    let fraction = (digits + "000000").prefix(6)
    return text[..<point] + (fraction.allSatisfy { $0 == "0" } ? "" : "." + fraction)
      + text[digits.endIndex...]
  }
}
