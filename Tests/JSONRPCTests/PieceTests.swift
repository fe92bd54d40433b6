import JSONRPC
import Testing

/// Some of an answer: read as an upstream says it, and as it is written for a caller.
@Suite struct PieceTests {
  private func read(_ text: String) -> (id: String, value: String)? {
    var envelope = Envelope()
    let bytes = JSONText.padded(Array(text.utf8))
    guard
      case .message = EnvelopeScanner.scan(bytes.span, 0..<text.utf8.count, ScanLimits(), into: &envelope),
      let piece = Piece(envelope, in: bytes.span)
    else { return nil }
    return (
      String(decoding: bytes[piece.id.range], as: UTF8.self),
      String(decoding: bytes[piece.value.range], as: UTF8.self)
    )
  }

  private func readWritten(_ text: String) -> (id: String, value: String)? {
    let bytes = JSONText.padded(Array(text.utf8))
    return Piece(writtenAs: 0..<text.utf8.count, in: bytes.span).map { piece in
      (
        String(decoding: bytes[piece.id.range], as: UTF8.self),
        String(decoding: bytes[piece.value.range], as: UTF8.self)
      )
    }
  }

  private func written(_ id: String, _ value: String, as framing: Framing = .lines) -> String {
    let (id, value) = (Array(id.utf8), Array(value.utf8))
    var text: [UInt8] = []
    MessageWriter.piece(
      RequestID(ByteRange(id.indices), in: id.span), value.span, value.indices, as: framing, into: &text)
    return String(decoding: text, as: UTF8.self)
  }

  @Test func `its members are found in any order, the first of each name`() {
    let text =
      #"{"method":"lastword.piece","jsonrpc":"2.0","params":{"value":{"id":9},"x":[1],"id":7,"id":8,"value":2}}"#
    #expect(read(text).map { $0 == ("7", #"{"id":9}"#) } == true)
  }

  @Test(arguments: [
    "", #","params":[7,1]"#, #","params":{}"#, #","params":{"id":7}"#, #","params":{"value":7}"#,
  ])
  func `without either it is none`(params: String) {
    #expect(read(#"{"jsonrpc":"2.0","method":"lastword.piece"\#(params)}"#) == nil)
  }

  @Test func `what is written is read again`() {
    for value in ["1", "null", #""}}""#, #"{"a":[{}]}"#, #"[1,"},\"value\":"]"#] {
      let text = String(written("17", value).dropLast())
      #expect(readWritten(text).map { $0 == ("17", value) } == true)
      #expect(read(text).map { $0 == ("17", value) } == true)
    }
    #expect(
      written(#""a""#, "[1,\n2]")
        == #"{"jsonrpc":"2.0","method":"lastword.piece","params":{"id":"a","value":[1, 2]}}"# + "\n")
    let text = written("17", "1").dropLast()
    #expect(written("17", "1", as: .contentLength) == "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
  }

  @Test func `cut anywhere, or of another shape, it is no written one`() {
    let text = written("17", "1").dropLast()
    for count in 0..<text.count { #expect(readWritten(String(text.prefix(count))) == nil) }
    for other in [
      #"{"jsonrpc":"2.0","id":17,"result":1}"#, String(text).replacing("17", with: ""),
      String(text).replacing("17", with: #""1""#),
    ] {
      #expect(readWritten(other) == nil)
    }
  }
}
