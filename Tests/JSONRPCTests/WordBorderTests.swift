import JSONRPC
import Testing

/// Where texts end and what is special in them stands anywhere around the borders of words and blocks.
@Suite struct WordBorderTests {
  private static let lengths = Array(0...20) + Array(55...75) + Array(120...140)
  private static let specials = [
    "\"", "\\", #"\n"#, #"\u0041"#, #"\u00e"#, "\u{1F}", "\u{7F}", "é", "€", "𝄞",
  ]

  @Test(arguments: lengths)
  func `a string with anything special at any place is judged as by the oracle`(length: Int) {
    for place in 0...length {
      let (before, after) = (
        String(repeating: "x", count: place), String(repeating: "y", count: length - place)
      )
      for special in Self.specials {
        let value = "\"\(before)\(special)\(after)\""
        compare(value)
        compare(#"{"a":\#(value),\#(value):1}"#)
      }
    }
  }

  @Test(arguments: lengths)
  func `a string that is cut off is wrong at the end of the text`(length: Int) {
    let beginning = #"{"a":["# + "\"" + String(repeating: "x", count: length)
    let text = WireText(Array(beginning.utf8), slack: Array("\"]}".utf8))
    #expect(text.scan().malformedOffset == beginning.utf8.count)
  }

  @Test func `an invalid byte is told at its offset, wherever it stands`() {
    for place in 0..<140 {
      let before = #"{"a":""# + String(repeating: "x", count: place)
      let scan = Scan(Array(before.utf8) + [0x80] + Array(#"xxxxxxxxxx"}"#.utf8))
      #expect(scan.malformedOffset == before.utf8.count)
    }
  }

  @Test(arguments: [
    "1234567", "12345678", "123456789", "0", "01", "0.5", "1.", "1e", "1E5", "-", "-1", "12a", "1-",
  ])
  func `numbers of about a word are judged as by the oracle`(number: String) {
    for padding in 0...9 {
      let digits = String(repeating: "7", count: padding)
      for text in [number, digits + number, number + digits] {
        compare(text)
        compare("[\(text)]")
        compare(#"{"a":\#(text) ,"b":\#(text)}"#)
      }
    }
  }

  @Test(arguments: 0...10)
  func `decimals of any length are judged as by the oracle, whatever stands in them`(whole: Int) {
    for fraction in 0...10 {
      let number = String(repeating: "7", count: whole) + "." + String(repeating: "3", count: fraction)
      for odd in ["", "x", ".", "e", "-", "\"", " ", "\u{1F}", "é"] {
        for text in [number, number + odd, number + odd + "5", odd + number] {
          compare("[\(text)]")
          compare("[[\(text),1]]")
          compare(#"{"a":\#(text),"b":\#(text)}"#)
        }
      }
    }
  }

  @Test func `what follows a scalar is no part of it`() {
    for (scalar, slack) in [
      ("12", "34"), ("1234567", "8"), ("12", ".5"), ("0", "1"), ("true", "true"), ("1", "e1"),
    ] {
      let text = WireText(Array(scalar.utf8), slack: Array(slack.utf8))
      #expect(text.scan().fault == .notAnObject)
    }
    let half = WireText(Array("tru".utf8), slack: Array("e".utf8))
    #expect(half.scan().malformedOffset == 3)
  }

  @Test(arguments: ["jsonrpc", "id", "method", "params", "task", "result", "error"])
  func `a name that only begins or ends like a member's is another one`(name: String) {
    for other in [name + "x", "x" + name, String(name.dropLast()), name + #"\u0000"#, #"\u0000"# + name] {
      let scan = Scan(#"{"jsonrpc":"2.0","id":1,"method":"m","\#(other)":[[]]}"#)
      #expect(scan.outcome == .message)
      #expect(scan.text(\.id) == "1" && scan.text(\.method) == #""m""#)
    }
  }

  @Test func `a message that begins on the fast path may be wrong at any later byte`() {
    let message = #"{"jsonrpc":"2.0","id":1,"method":"m"}"#
    for end in 0..<message.utf8.count {
      let cut = WireText(Array(message.utf8.prefix(end)), slack: Array(message.utf8.dropFirst(end)))
      #expect(cut.scan().malformedOffset == end)
    }
    for beginning in [#"{"jsonrpc":"2.0"}"#, #"{"jsonrpc":"2.0" ,"x":1}"#] {
      #expect(Scan(beginning).fault == .noMethod)
    }
    #expect(Scan(#"{"jsonrpc":"2.0",}"#).malformedOffset == 17)
    #expect(Scan(#"{"jsonrpc":"2.0","jsonrpc":"2.0","method":"m"}"#).fault == .duplicateMember)
  }

  @Test(arguments: 0...40)
  func `a backslash is found at any place of a string and nowhere else`(length: Int) {
    for place in 0..<length {
      var content = [UInt8](repeating: UInt8(ascii: "x"), count: length)
      let plain = WireText(content, slack: [UInt8(ascii: "\\")])
      content[place] = UInt8(ascii: "\\")
      let escaped = WireText(content)
      let found = JSONString.hasEscapes(escaped.raw, in: escaped.bytes.span)
      let foundWithoutSlack = JSONString.hasEscapes(ByteRange(content.indices), in: content.span)
      let foundInPlain = JSONString.hasEscapes(plain.raw, in: plain.bytes.span)
      #expect(found && foundWithoutSlack && !foundInPlain)
    }
  }

  @Test(arguments: 0...26)
  func `an id is its own bytes and no others, whatever follows`(length: Int) {
    let id = (0..<length).map { UInt8(ascii: "a") + UInt8($0) }
    let first = WireText(id, slack: [0xFF])
    let (one, other) = (
      RequestID(first.raw, in: first.bytes.span), RequestID(ByteRange(id.indices), in: id.span)
    )
    let bytes = one.withBytes { span in span.indices.map { span[$0] } }
    #expect(bytes == id && one == other && one.hashValue == other.hashValue)
    for place in id.indices {
      var changed = id
      changed[place] = 0
      #expect(RequestID(ByteRange(changed.indices), in: changed.span) != one)
    }
  }

  private func compare(_ text: String) {
    let isAccepted = !Scan(text).isMalformed
    guard isAccepted != PlainChecker.accepts(Array(text.utf8)) else { return }
    Issue.record("accepted: \(isAccepted): \(text)")
  }
}
