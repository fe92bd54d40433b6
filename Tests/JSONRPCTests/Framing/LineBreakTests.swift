import HotData
import JSONRPC
import Testing

/// Whether a message can leave as a line as it came.
@Suite struct LineBreakTests {
  private static let tokens = [
    "{", #""jsonrpc""#, ":", #""2.0""#, ",", #""id""#, ":", "7", ",", #""method""#, ":", #""m""#, ",",
    #""params""#, ":", "[", "1", ",", "{", #""a\n""#, ":", "true", "}", ",", "[", "]", "]", ",", #""task""#,
    ":",
    "{", #""key""#, ":", #""k""#, ",", #""policy""#, ":", #""wait""#, "}", ",", #""x""#, ":", "null", "}",
  ]

  @Test(arguments: ["\n", "\r", " \n", "\t\r ", "\r\n"])
  func `a line break is noticed between any two tokens`(lineBreak: String) {
    for place in 0...Self.tokens.count {
      let before = Self.tokens[..<place].joined(separator: " ")
      let scan = Scan(before + lineBreak + Self.tokens[place...].joined())
      #expect(scan.outcome == .message && !scan.envelope.isFreeOfLineBreaks, "at \(place)")
    }
  }

  @Test(arguments: ["", " ", "\t"])
  func `other white space is no line break, and an escaped one is none`(space: String) {
    let scan = Scan(Self.tokens.joined(separator: space))
    #expect(scan.outcome == .message && scan.envelope.isFreeOfLineBreaks)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `messages with any params are known to be free of line breaks when they are`(seed: UInt64) {
    var json = RandomJSON(random: SplitMix64(seed: seed))
    for _ in 0..<200 {
      let params = json.document()
      let text = Array(#"{"jsonrpc":"2.0","method":"m","params":["#.utf8) + params + Array("]}".utf8)
      let scan = WireText(text).scan()
      let isFree = !params.contains(0x0A) && !params.contains(0x0D)
      #expect(scan.outcome == .message && scan.envelope.isFreeOfLineBreaks == isFree)
    }
  }
}
