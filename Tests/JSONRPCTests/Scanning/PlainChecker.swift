/// The oracle: decides by plain recursive descent whether a text is JSON (RFC 8259), with no care for speed.
struct PlainChecker {
  private var rest: ArraySlice<UInt8>

  static func accepts(_ text: [UInt8]) -> Bool {
    guard String(validating: text, as: UTF8.self) != nil else { return false }
    var checker = PlainChecker(rest: text[...])
    return checker.element() && checker.rest.isEmpty
  }

  private mutating func element() -> Bool {
    spaces()
    guard value() else { return false }
    spaces()
    return true
  }

  private mutating func value() -> Bool {
    switch rest.first {
    case UInt8(ascii: "{"): list(close: "}") { $0.member() }
    case UInt8(ascii: "["): list(close: "]") { $0.element() }
    case UInt8(ascii: "\""): string()
    case UInt8(ascii: "t"): take("true")
    case UInt8(ascii: "f"): take("false")
    case UInt8(ascii: "n"): take("null")
    default: number()
    }
  }

  private mutating func list(close: String, item: (inout PlainChecker) -> Bool) -> Bool {
    rest.removeFirst()
    var afterSpaces = self
    afterSpaces.spaces()
    if afterSpaces.take(close) {
      self = afterSpaces
      return true
    }
    repeat {
      guard item(&self) else { return false }
    } while take(",")
    return take(close)
  }

  private mutating func member() -> Bool {
    spaces()
    guard string() else { return false }
    spaces()
    return take(":") && element()
  }

  private mutating func string() -> Bool {
    guard take("\"") else { return false }
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return true
      case UInt8(ascii: "\\"): guard escape() else { return false }
      case ..<0x20: return false
      default: continue
      }
    }
    return false
  }

  private mutating func escape() -> Bool {
    guard let letter = rest.popFirst() else { return false }
    guard letter == UInt8(ascii: "u") else { return #""\/bfnrt"#.utf8.contains(letter) }
    let digits = rest.prefix(4)
    rest = rest.dropFirst(4)
    return digits.count == 4 && digits.allSatisfy { "0123456789abcdefABCDEF".utf8.contains($0) }
  }

  private mutating func number() -> Bool {
    _ = take("-")
    guard take("0") || digits() else { return false }
    if take("."), !digits() { return false }
    guard take("e") || take("E") else { return true }
    _ = take("+") || take("-")
    return digits()
  }

  private mutating func digits() -> Bool {
    let count = rest.prefix { "0123456789".utf8.contains($0) }.count
    rest = rest.dropFirst(count)
    return count > 0
  }

  private mutating func spaces() { rest = rest.drop { " \t\n\r".utf8.contains($0) } }

  private mutating func take(_ text: String) -> Bool {
    guard rest.starts(with: text.utf8) else { return false }
    rest = rest.dropFirst(text.utf8.count)
    return true
  }
}
