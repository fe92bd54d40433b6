import HotData

/// Makes random JSON documents, and damages them.
struct RandomJSON {
  var random: SplitMix64

  private static let names = [
    "id", "method", "params", "jsonrpc", "task", "result", "x", "", #"\u0069d"#, "é", #"a\"b"#,
  ]
  private static let scalars = [
    "0", "-1", "12.50", "1e9", "-0.1E-7", "true", "false", "null", #""""#, #""2.0""#, #""plain text""#,
    #""a longer text without anything special""#, #""\n\t\\\/""#, #""\ud834\udd1e""#, #""\udead""#, #""é€𝄞""#,
  ]
  /// The bytes that mean something to a scanner, for damage that is likely to matter.
  private static let telling =
    Array("{}[]\":,\\ue0-+.1 \t\n\r".utf8) + [0x00, 0x1F, 0x7F, 0x80, 0xC3, 0xED, 0xF4]

  mutating func document() -> [UInt8] {
    let isObject = Int.random(in: 0..<4, using: &random) > 0
    return Array((isObject ? object(depth: 0) : value(depth: 0)).utf8)
  }

  private mutating func value(depth: Int) -> String {
    switch Int.random(in: 0..<(depth < 5 ? 6 : 4), using: &random) {
    case 4: array(depth: depth)
    case 5: object(depth: depth)
    default: Self.scalars.randomElement(using: &random)!
    }
  }

  private mutating func array(depth: Int) -> String {
    let items = (0..<Int.random(in: 0...3, using: &random)).map { _ in spaced(value(depth: depth + 1)) }
    return "[" + spaced(items.joined(separator: ",")) + "]"
  }

  private mutating func object(depth: Int) -> String {
    let members = (0..<Int.random(in: 0...4, using: &random)).map { _ in
      spaced("\"" + Self.names.randomElement(using: &random)! + "\"") + ":" + spaced(value(depth: depth + 1))
    }
    return "{" + spaced(members.joined(separator: ",")) + "}"
  }

  private mutating func spaced(_ text: String) -> String {
    let spaces = ["", "", "", " ", "\t", " \r\n"]
    return spaces.randomElement(using: &random)! + text + spaces.randomElement(using: &random)!
  }

  /// The document with one byte changed, put in or taken out.
  mutating func damaged(_ document: [UInt8]) -> [UInt8] {
    var damaged = document
    let place = Int.random(in: 0..<document.count, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1: damaged[place] = Self.telling.randomElement(using: &random)!
    case 2: damaged.insert(Self.telling.randomElement(using: &random)!, at: place)
    default: damaged.remove(at: place)
    }
    return damaged
  }
}
