import HotData
import JSONRPC
import Testing

/// Answers that are read only as far as their body, against the same answers read whole.
@Suite struct AnswerHeadTests {
  private struct Head {
    let text: WireText
    let head: AnswerHead?

    init(_ text: WireText) {
      self.text = text
      head = AnswerHead(of: text.range, in: text.bytes.span)
    }

    init(_ text: String) { self.init(WireText(text)) }

    var id: String? { head.map { text[$0.id] } }
    var body: String? { head.map { text[$0.body] } }
  }

  @Test(arguments: ["0", "null", "{}", #""}""#, "[1, 2] ", #"{"a":{"b":"\u00e9"}}"#])
  func `a result is found behind its id`(body: String) {
    let head = Head(#"{"jsonrpc":"2.0","id":131073,"result":\#(body)}"#)
    #expect(head.id == "131073" && head.body == body && head.head?.isError == false)
  }

  @Test func `an error is told from a result`() {
    let head = Head(#"{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"result"}}"#)
    #expect(head.id == "7" && head.body == #"{"code":1,"message":"result"}"# && head.head?.isError == true)
  }

  @Test func `what comes behind a body goes with it`() {
    #expect(Head(#"{"jsonrpc":"2.0","id":7,"result":1,"x":[2]}"#).body == #"1,"x":[2]"#)
  }

  @Test(arguments: [
    "", "}", #"{"jsonrpc":"2.0"}"#, #"{"jsonrpc":"2.0","id":7}"#, #"{"jsonrpc":"2.0","id":7,"result":"#,
    #"{"jsonrpc":"2.0","id":7,"result":}"#, #"{"jsonrpc":"2.0","id":7,"result":1"#,
    #"{"jsonrpc":"2.0","id":7,"result":1} "#, #"{"jsonrpc":"2.0","id":7,"result":1}x"#,
    #"{"jsonrpc":"2.0","id":7,"error":1}"#, #"{"jsonrpc":"2.0","id":7,"error":}"#,
    #"{"jsonrpc":"2.0","id":7,"results":1}"#, #"{"jsonrpc":"2.0","id":7,"errors":{}}"#,
    #"{"jsonrpc":"2.0","id":7,"method":"m"}"#, #"{"jsonrpc":"2.0","id":"7","result":1}"#,
    #"{"jsonrpc":"2.0","id":7.0,"result":1}"#, #"{"jsonrpc":"2.0","id":07,"result":1}"#,
    #"{"jsonrpc":"2.0","id":-7,"result":1}"#, #"{"jsonrpc":"2.0","id":null,"result":1}"#,
    #"{"jsonrpc":"2.0","id":12345678901234567,"result":1}"#, #"{"jsonrpc":"1.0","id":7,"result":1}"#,
    #"{"jsonrpc":"2.0","result":1,"id":7}"#, #"{"id":7,"jsonrpc":"2.0","result":1}"#,
    #" {"jsonrpc":"2.0","id":7,"result":1}"#, #"{"jsonrpc":"2.0","id": 7,"result":1}"#,
    #"[{"jsonrpc":"2.0","id":7,"result":1}]"#,
  ])
  func `a message that begins or ends otherwise has to be read whole`(message: String) {
    #expect(Head(message).head == nil)
  }

  @Test func `what is cut off is never finished by what follows`() {
    let message = Array(#"{"jsonrpc":"2.0","id":7,"result":{"a":1}}"#.utf8)
    for end in 0..<message.count - 1 {
      let head = Head(WireText(Array(message[..<end]), slack: Array(message[end...]) + [0]))
      #expect(head.head == nil)
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `a valid message means the same, read by its head or whole`(seed: UInt64) {
    var json = RandomJSON(random: SplitMix64(seed: seed))
    var found = 0
    for _ in 0..<400 {
      for name in ["result", "error", "method"] {
        let beginning = #"{"jsonrpc":"2.0","id":\#(found * 7 + 1),"\#(name)":"#
        let message = Array(beginning.utf8) + json.document() + Array("}".utf8)
        for text in [message, json.damaged(message), json.damaged(json.damaged(message))] {
          if isSame(WireText(text, slack: Array(#","x":}"#.utf8))) { found += 1 }
        }
      }
    }
    #expect(found > 800)
  }

  /// Whether it is valid and has a head, which then must be right.
  private func isSame(_ text: WireText) -> Bool {
    let scan = text.scan()
    guard let head = Head(text).head, scan.outcome == .message, scan.envelope.isResponse else { return false }
    let body = head.isError ? scan.envelope.error : scan.envelope.result
    #expect(head.id == scan.envelope.id && head.isError == !scan.envelope.error.isEmpty)
    guard body.lower >= head.body.lower, body.upper <= head.body.upper else {
      Issue.record("a head has another body: \(String(decoding: text.bytes, as: UTF8.self))")
      return true
    }
    let isSpaceBefore = text.bytes[Int(head.body.lower)..<Int(body.lower)].allSatisfy(\.isWhite)
    let behind = text.bytes[Int(body.upper)..<Int(head.body.upper)]
    let hasMembersBehind = behind.first { !$0.isWhite } == UInt8(ascii: ",")
    let isSpaceBehind = behind.allSatisfy(\.isWhite)
    #expect(isSpaceBefore && (isSpaceBehind || hasMembersBehind))
    return true
  }
}

extension UInt8 {
  fileprivate var isWhite: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}
