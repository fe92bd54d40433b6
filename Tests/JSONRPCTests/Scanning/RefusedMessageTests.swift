import JSONRPC
import Testing

/// What a message is that cannot be read as a whole.
@Suite struct RefusedMessageTests {
  /// What it is, and its id; nil: that does not show.
  private func kind(of text: String, isHead: Bool = false) -> String? {
    let bytes = JSONText.padded(Array(text.utf8))
    return RefusedMessage(of: 0..<text.utf8.count, in: bytes.span, isHead: isHead).map {
      ($0.asks ? "asks " : "") + String(decoding: bytes[$0.id.range], as: UTF8.self)
    }
  }

  private func id(in text: String) -> String? { kind(of: text) }

  @Test func `the id of an answer is found before what is wrong`() {
    #expect(id(in: #"{"jsonrpc":"2.0","id":7,"result":[1,}"#) == "7")
    #expect(id(in: #" { "id" : 7 , "result":tru"#) == "7")
    #expect(id(in: #"{"jsonrpc":"2.0","id":7,"result":"# + String(repeating: "[", count: 2_000)) == "7")
    #expect(id(in: #"{"result":1,"id":7} behind"#) == "7")
  }

  @Test(arguments: [
    "", "{", "{}", "x", "[7]", #"{"id""#, #"{"id":"#, #"{"id":7"#, #"{"result":[1,},"id":7}"#,
    #"{"method":"ask","id":[7],"params":[1,}"#, #"{"id":true,"method":"ask","params":[1,}"#,
    #"{"method":"ask","id":"\#(String(repeating: "7", count: 127))","params":[1,}"#,
  ])
  func `it is not found behind that, nor one that no request can have`(text: String) {
    #expect(id(in: text) == nil)
  }

  @Test func `what asks has an id that can be answered, or none`() {
    for isHead in [true, false] {
      #expect(kind(of: #"{"method":"ask","id":7,"params":["#, isHead: isHead) == "asks 7")
      #expect(kind(of: #"{"jsonrpc":"2.0","id":"a","params":["#, isHead: isHead) == "asks \"a\"")
      #expect(kind(of: #"{"id":null,"method":"ask","params":["#, isHead: isHead) == "asks null")
      #expect(kind(of: #"{"jsonrpc":"2.0","method":"ask","params":["#, isHead: isHead) == "asks ")
      #expect(kind(of: #"{"jsonrpc":"2.0","id":7,"result":["#, isHead: isHead) == "7")
      #expect(kind(of: #"{"jsonrpc":"2.0","result":["#, isHead: isHead) == nil)
    }
    #expect(kind(of: #"{"jsonrpc":"2.0","id":7,"#, isHead: true) == nil)
    #expect(kind(of: #"{"params":[[]],"method":"ask","id":-1.5}"#) == "asks -1.5")
  }
}
