/// Says numbers as people read them: three digits that matter, and a unit.
enum Quantity {
  /// What stands where nothing was measured.
  static let none = "–"
  private static let mostExact = 1e15

  static func time(_ nanoseconds: UInt64) -> String {
    guard nanoseconds >= 1_000 else { return "\(nanoseconds) ns" }
    let nanoseconds = Double(nanoseconds)
    // A unit ends where the next one reads better, rounding included.
    if nanoseconds < 999.5e3 { return threeDigits(nanoseconds / 1e3) + " µs" }
    if nanoseconds < 999.5e6 { return threeDigits(nanoseconds / 1e6) + " ms" }
    return threeDigits(nanoseconds / 1e9) + " s"
  }

  static func rate(_ perSecond: Double) -> String { threeDigits(perSecond) + "/s" }

  static func percent(_ ratio: Double) -> String {
    let isTiny = ratio > 0 && ratio < 0.00005
    return isTiny ? "<0.01 %" : threeDigits(ratio * 100) + " %"
  }

  static func share(_ part: UInt64, of whole: UInt64) -> String {
    whole == 0 ? none : percent(Double(part) / Double(whole))
  }

  static func count(_ number: UInt64) -> String {
    let digits = String(number)
    var grouped = ""
    for (offset, digit) in digits.enumerated() {
      if offset > 0 && (digits.count - offset).isMultiple(of: 3) { grouped.append(",") }
      grouped.append(digit)
    }
    return grouped
  }

  /// Three digits, and no more places than zeros that say nothing would fill.
  static func threeDigits(_ number: Double) -> String {
    switch number.magnitude {
    case 0: "0"
    case ..<9.995: decimal(number, places: 2)
    case ..<99.95: decimal(number, places: 1)
    default: decimal(number, places: 0)
    }
  }

  static func decimal(_ number: Double, places: Int) -> String {
    guard number.magnitude < mostExact else { return number.isNaN ? none : "∞" }
    let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
    let scaled = UInt64((number.magnitude * scale).rounded())
    let sign = number < 0 && scaled > 0 ? "-" : ""
    let whole = sign + count(scaled / UInt64(scale))
    guard places > 0 else { return whole }
    return whole + "." + String(scaled % UInt64(scale)).leftPadded(to: places, with: "0")
  }
}

extension String {
  func padded(to columns: Int) -> String { self + String(repeating: " ", count: max(0, columns - count)) }

  func leftPadded(to columns: Int, with character: Character = " ") -> String {
    String(repeating: character, count: max(0, columns - count)) + self
  }
}
