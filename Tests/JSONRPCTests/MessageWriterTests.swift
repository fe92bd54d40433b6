import JSONRPC
import Testing

@Suite struct MessageWriterTests {
  private static let ids = [
    "7", "-1.50e3", #""an id""#, #""\u0041 that is longer than what is kept inline""#,
  ]

  private func id(_ text: String) -> RequestID {
    let text = WireText(text)
    return RequestID(text.raw, in: text.bytes.span)
  }

  private func written(_ write: (inout [UInt8]) -> Void) -> String {
    var bytes: [UInt8] = []
    write(&bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// What a framer that knows nothing of writers makes of one message.
  private func body(of message: String) -> String? {
    let framed = FedMessages(ContentLengthFramer(limitBytes: 1 << 20)).feed(message)
    guard framed.count == 1, case .message(let body) = framed[0] else { return nil }
    return message == "Content-Length: \(body.utf8.count)\r\n\r\n\(body)" ? body : nil
  }

  @Test(arguments: ids, [true, false])
  func `an answer is as long as its header says`(id: String, isError: Bool) {
    let result = WireText("{\"a\": [1,\r\n \"é\"]}")
    let id = self.id(id)
    func answer(_ framing: Framing) -> String {
      written {
        MessageWriter.answer(
          id, isError: isError, result.bytes.span, result.range, as: framing, into: &$0)
      }
    }
    let object = body(of: answer(.contentLength))
    #expect(object?.hasSuffix(":{\"a\": [1,\r\n \"é\"]}}") == true)
    #expect(answer(.lines) == object.map { $0.replacing("\r\n", with: "  ") + "\n" })
    #expect(
      MessageWriter.answerByteCount(id, isError: isError, bodyByteCount: result.range.count)
        == object?.utf8.count)
  }

  @Test func `an answer for a batch has neither header nor line end`() {
    let result = WireText("[\n]")
    for (framing, text) in [(Framing.lines, "[ ]"), (.contentLength, "[\n]")] {
      let object = written {
        MessageWriter.answerObject(
          id("1"), isError: false, result.bytes.span, result.range, as: framing, into: &$0)
      }
      #expect(object == #"{"jsonrpc":"2.0","id":1,"result":\#(text)}"#)
    }
  }

  @Test(arguments: ids + [""])
  func `an error is as long as its header says`(id: String) {
    let id = id.isEmpty ? RequestID() : self.id(id)
    let error = RPCError(code: -32080, message: "say \"é\"\n\u{1}\\")
    let object = body(of: written { MessageWriter.error(id, error, as: .contentLength, into: &$0) })
    #expect(object?.utf8.count == MessageWriter.errorByteCount(id, error))
    #expect(written { MessageWriter.error(id, error, as: .lines, into: &$0) } == object.map { $0 + "\n" })
    #expect(object?.hasSuffix(#""error":{"code":-32080,"message":"say \"é\"\u000a\u0001\\"}}"#) == true)
    #expect(object.map { Scan($0).outcome } == .message)
  }

  @Test func `an error's data is counted by being written`() {
    let data: StaticString = "{\"upstream\":\"notSent\"}"
    let object = body(
      of: written { MessageWriter.error(id("1"), .busy, data: data, as: .contentLength, into: &$0) })
    #expect(object?.utf8.count == MessageWriter.errorByteCount(id("1"), .busy, data: data))
    #expect(object?.hasSuffix(#","data":{"upstream":"notSent"}}}"#) == true)
    let line = written { MessageWriter.error(id("1"), .busy, data: data, into: &$0) }
    #expect(line == object.map { $0 + "\n" })
  }

  @Test(arguments: ["", "7", "\"a\""], ["", "[1]"])
  func `a relayed message is as long as its header says`(id: String, params: String) {
    let text = WireText("\"m\"" + params)
    let (method, rest) = (text.range.prefix(3), text.range.dropFirst(3))
    let number = id.isEmpty ? RequestID() : self.id(id)
    func relayed(_ framing: Framing) -> String {
      written {
        MessageWriter.relay(
          number, text.bytes.span, method: method, params: rest, as: framing, into: &$0)
      }
    }
    let message = body(of: relayed(.contentLength))
    #expect(message.map { Scan($0).outcome } == .message)
    #expect(relayed(.lines) == message.map { $0 + "\n" })
    #expect(message?.contains("\"id\"") == !id.isEmpty && message?.contains("\"params\"") == !params.isEmpty)
  }

  @Test func `a whole message stays in its line, and keeps its line breaks behind a header`() {
    let text = WireText("[1,\n2]")
    #expect(
      written { MessageWriter.message(text.bytes.span.extracting(text.range), as: .lines, into: &$0) }
        == "[1, 2]\n")
    let framed = written {
      MessageWriter.message(text.bytes.span.extracting(text.range), as: .contentLength, into: &$0)
    }
    #expect(body(of: framed) == "[1,\n2]")
  }

  @Test func `a cancellation names the request in its dialect's words`() {
    let lsp = written { MessageWriter.openCancelRequest(into: &$0) }
    #expect(lsp == #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"#)
    let mcp = written { MessageWriter.openCancelledNotification(into: &$0) }
    #expect(mcp == #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"#)
  }

  @Test(arguments: [
    ("", ""), ("[1]", "[1]"), ("\n", " "), ("\r\n[\n1,\r2\r\n]\n", "  [ 1, 2  ] "), ("[1,\n\n2]", "[1,  2]"),
  ])
  func `as a line, text has spaces for its line breaks`(text: String, line: String) {
    let text = WireText("\n" + text + "\r")
    let inner = text.range.dropFirst().dropLast()
    #expect(written { $0.appendAsLine(text.bytes.span, inner) } == line)
  }

  @Test func `numbers are written as they are, and counted as they are written`() {
    let powers = (0..<20).map { exponent in (0..<exponent).reduce(UInt64(1)) { power, _ in power * 10 } }
    for number in powers.flatMap({ [$0 - 1, $0, $0 &* 9] }) + [.max] {
      var counter = ByteCounter()
      counter.append(decimal: number)
      #expect(counter.byteCount == String(number).count)
      #expect(written { $0.append(decimal: number) } == String(number))
    }
  }
}
