import HotData

/// Makes streams of HTTP requests from a seed: most are right, and in others something is wrong, or could be read in two
/// ways.
struct RequestMaker {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  private mutating func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
  private mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
  private mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }

  mutating func stream() -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0...below(3) { bytes += request() }
    // What is left of one that was read too short, or taken of one that was read too long, shows in this.
    bytes += Array("GET /last HTTP/1.1\r\nHost: last\r\n\r\n".utf8)
    if oneIn(3) { for _ in 0...below(3) { damage(&bytes) } }
    return bytes
  }

  private static let targets = [
    "/", "/a/b", "/?x", "/a?b=c&d", "/a%20b", "/%2f", "//a", "/a//b", "http://h/x?y", "http://h", "/;a",
    "/a?b?c",
  ]
  private static let fields = [
    "X: y", "x:y", "X:  y  ", "X:\ty", "X:", "X: a, b", "Accept: */*", "X-Y_z!#$%&'*+.^`|~: 1", "X: \u{e9}",
    "Cookie: a=b; c=d", "Connection: keep-alive", "X: a\"b\"", "X: :", "Expect: 100-continue",
  ]
  private static let oddFields = [
    "Connection: close", "Content-Length: 0", "Host: b", "X : y", " X: y", "X", ": y", "X: a\u{0}b",
    "X: a\u{1}b",
    "X\u{0}: y", "X: a\rb", "X: a\nY: b", "X: y\r\n folded", "X: y\r\n\tfolded", "(X): y", "X\t: y",
    "Transfer-Encoding: identity", "Connection: x, close",
  ]
  private static let lengths = [
    "Content-Length: +3", "Content-Length: 3 3", "Content-Length: 3, 3", "Content-Length: 0x3",
    "Content-Length: -3",
    "Content-Length: 3\r\nContent-Length: 3", "Content-Length: 3\r\nContent-Length: 4", "Content-Length : 3",
    "Content-Length: 003", "Content-Length:3", "Content-Length: \t3 ", "Content-Length: 3.0",
    "Content-Length:",
    "Content-Length: 99999999999999999999", "Content-Length: 3\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: chunked\r\nContent-Length: 3", "Content\u{0}-Length: 3", "content-LENGTH: 3",
  ]
  private static let codings = [
    "Transfer-Encoding: Chunked", "Transfer-Encoding:chunked", "Transfer-Encoding: \tchunked ",
    "Transfer-Encoding: xchunked", "Transfer-Encoding: chunked, identity",
    "Transfer-Encoding: identity, chunked",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked",
    "Transfer-Encoding: \"chunked\"", "Transfer-Encoding: chunked;q=1", "Transfer-Encoding : chunked",
    "Transfer-Encoding: ,chunked", "Transfer-Encoding: chunked\u{b}", "Transfer-Encoding:\r\n chunked",
    "Transfer-Encoding: chun\rked", "Transfer_Encoding: chunked",
  ]

  private mutating func request() -> [UInt8] {
    let method = pick(["GET", "POST", "POST", "POST", "HEAD", "OPTIONS"])
    let target =
      oneIn(20) ? pick(["*", "a", "", "/a b", "/\u{e9}", "/a#b", "https://h/", "/%zz"]) : pick(Self.targets)
    let version = oneIn(12) ? pick(["1.0", "1.0", "1.2", "2.0", "0.9", "1.1 ", "1.", "1.01"]) : "1.1"
    var lines = ["\(method) \(target) HTTP/\(version)"]
    if !oneIn(30) { lines.append("Host: \(pick(["a", "a:80", "localhost", "127.0.0.1", "[::1]:8"]))") }
    for _ in 0..<below(3) { lines.append(pick(Self.fields)) }
    if oneIn(8) { lines.insert(pick(Self.oddFields), at: 1 + below(lines.count)) }
    var content: [UInt8] = []
    switch method == "POST" ? below(5) : 5 {
    case 0: break
    case 1:
      lines.append(pick(Self.lengths))
      content = Array(pick(["abc", "3\r\nabc\r\n0\r\n\r\n"]).utf8)
    case 2:
      lines.append(pick(Self.codings))
      content = chunks()
    case 3:
      lines.append("Transfer-Encoding: chunked")
      content = chunks()
    case 4:
      content = Array(repeating: UInt8(ascii: "x"), count: below(40))
      lines.append("Content-Length: \(content.count)")
    default: break
    }
    let lead = oneIn(15) ? pick(["\r\n", "\r\n\r\n", "\n", " "]) : ""
    return Array((lead + lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + content
  }

  private mutating func chunks() -> [UInt8] {
    var text = ""
    for _ in 0..<below(3) {
      let size =
        oneIn(15) ? pick(["0x3", "+3", " 3", "3 ", "-3", "", "3\t", "g", "00000000000000003", "3_"]) : "3"
      let extra = oneIn(4) ? pick([";a", ";a=b", ";a=\"b c\"", " ;a", ";", ";a\u{0}", ";a\rb"]) : ""
      let end = oneIn(25) ? pick(["\n", "\r", "\r\r\n", "x\r\n", ""]) : "\r\n"
      text += "\(size)\(extra)\(oneIn(40) ? "\n" : "\r\n")abc\(end)"
    }
    let last = oneIn(20) ? pick(["00", "0;a=b", "0 ", "", "0000000000000000000"]) : "0"
    let trailer =
      oneIn(6)
      ? pick(["T: v", "T: v\r\nU:", "T", "T : v", "Content-Length: 5", " T: v", "T: a\nb"]) + "\r\n" : ""
    return Array("\(text)\(last)\r\n\(trailer)\(oneIn(40) ? "\n" : "\r\n")".utf8)
  }

  private mutating func damage(_ bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    let place = below(bytes.count)
    switch below(6) {
    case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
    case 1: bytes.remove(at: place)
    case 2: bytes.insert(pick([0x0a, 0x0d, 0x20, 0x09, 0x00, 0x3a, 0x0b, 0x80, 0xff]), at: place)
    case 3: bytes.insert(bytes[place], at: place)
    case 4: bytes.removeSubrange(place..<min(bytes.count, place + 1 + below(20)))
    default: bytes[place] ^= 1 << UInt8(below(8))
    }
  }
}
