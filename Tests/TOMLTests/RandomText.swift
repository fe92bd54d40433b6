/// Makes small texts up: nearly right ones, by a grammar, and those with some bytes changed.
struct RandomText {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }

  mutating func next(below bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }

  private mutating func one(of words: [String]) -> String { words[next(below: words.count)] }

  /// By the grammar, or one of the samples; half of them with faults.
  mutating func text(samples: [[UInt8]]) -> [UInt8] {
    var bytes = next(below: 4) == 0 ? part(of: samples) : Array(document().utf8)
    if next(below: 2) == 0 { for _ in 0...next(below: 3) { change(&bytes) } }
    return bytes
  }

  private mutating func part(of samples: [[UInt8]]) -> [UInt8] {
    let sample = samples[next(below: samples.count)]
    let begin = next(below: sample.count)
    // From the start of a line on.
    return Array(sample[begin...].drop { $0 != 0x0a }.dropFirst().prefix(next(below: 400)))
  }

  private mutating func change(_ bytes: inout [UInt8]) {
    let place = next(below: bytes.count + 1)
    switch next(below: 4) {
    case 0 where place < bytes.count: bytes.remove(at: place)
    case 1 where place < bytes.count: bytes[place] = byte()
    case 2: bytes.insert(contentsOf: bytes.dropFirst(next(below: bytes.count + 1)).prefix(8), at: place)
    default: bytes.insert(byte(), at: place)
    }
  }

  private mutating func byte() -> UInt8 {
    let usual = Array("[]{}=.,#\"'\\\n\r\t _-+:0159aeTZxu".utf8)
    return next(below: 20) == 0 ? UInt8(next(below: 256)) : usual[next(below: usual.count)]
  }

  // MARK: The grammar

  private mutating func document() -> String {
    (0...next(below: 6)).map { _ in line() }.joined(separator: one(of: ["\n", "\n", "\r\n", "\n\n"]))
  }

  private mutating func line() -> String {
    switch next(below: 10) {
    case 0...1: "[\(blank())\(key())\(blank())]\(comment())"
    case 2...3: "[[\(key())]]\(comment())"
    case 4: comment()
    default: "\(blank())\(key())\(blank())=\(blank())\(value(3))\(comment())"
    }
  }

  private mutating func blank() -> String { one(of: ["", "", " ", " ", "\t", "  "]) }

  private mutating func comment() -> String { one(of: ["", "", "", "# x", " #", " # é\t"]) }

  private mutating func key() -> String {
    (0...max(0, next(below: 5) - 2)).map { _ in simpleKey() }.joined(separator: one(of: [".", ".", " . "]))
  }

  private mutating func simpleKey() -> String {
    one(of: ["a", "b", "c", "a", "b", "1", "-", "\"a\"", "'b'", "\"\"", "\"\\u0061\"", "é", "\"é\"", "a-b_1"])
  }

  private mutating func value(_ depth: Int) -> String {
    switch next(below: depth > 0 ? 12 : 9) {
    case 0...1: number()
    case 2: one(of: ["true", "false", "inf", "-nan", "+inf", "True", "nil", "a"])
    case 3...4: moment()
    case 5...8: string()
    case 9...10: list(depth)
    default: table(depth)
    }
  }

  private mutating func list(_ depth: Int) -> String {
    let gap = one(of: ["", " ", "\n", " # x\n"])
    let items = (0..<next(below: 4)).map { _ in value(depth - 1) + gap }
    return "[" + gap + items.joined(separator: ",") + one(of: ["", "", ",", "\n"]) + "]"
  }

  private mutating func table(_ depth: Int) -> String {
    let pairs = (0..<next(below: 4)).map { _ in "\(key())\(blank())=\(blank())\(value(depth - 1))" }
    return "{" + pairs.joined(separator: one(of: [",", ", ", " , "])) + one(of: ["", "", "", " ", ",", "\n"])
      + "}"
  }

  private mutating func number() -> String {
    let digits = one(of: ["0", "1", "-7", "+12", "1_000", "00", "1__0", "_1", "9223372036854775807", "-0"])
    let rest = one(of: ["", "", "", ".5", ".0_1", ".", "e3", "E-1_0", "e", "e+400", ".5e1", "._1"])
    return next(below: 5) == 0
      ? one(of: ["0x1f", "0xF_f", "0o17", "0b101", "0x", "0b2", "-0x1", "0X1", "0o8", "0x_1"]) : digits + rest
  }

  private mutating func moment() -> String {
    let date = one(of: [
      "1979-05-27", "2024-02-29", "2023-02-29", "1900-02-29", "1979-13-01", "0001-01-01", "79-1-1",
    ])
    let time = one(of: [
      "07:32:00", "23:59:59.999999", "00:00:00.1234567", "24:00:00", "07:32", "07:60:00", "7:32:00",
    ])
    switch next(below: 4) {
    case 0: return date
    case 1: return time
    default:
      return date + one(of: ["T", "t", " ", "  ", "x"]) + time
        + one(of: ["", "", "Z", "z", "+01:30", "-23:59", "-00:00", "+24:00", "+1:00"])
    }
  }

  private mutating func string() -> String {
    let quote = one(of: ["\"", "'", "\"\"\"", "'''"])
    return quote + (0..<next(below: 5)).map { _ in piece() }.joined() + quote
  }

  private mutating func piece() -> String {
    one(of: [
      "a", " ", "é", "#", "\\n", "\\t", "\\\"", "\\\\", "\\u00e9", "\\U0001F600", "\\ud800", "\\x41", "\\u12",
      "\"",
      "'", "\"\"", "''", "\n", "\r\n", "\\\n  ", "\\  \n\n", "\t", "[a]", "=", "\u{2028}", "\\ ",
    ])
  }
}
