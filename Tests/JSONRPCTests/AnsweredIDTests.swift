import JSONRPC
import Testing

/// The id of an answer that cannot be read as a whole.
@Suite struct AnsweredIDTests {
  private func id(in text: String) -> String? {
    let bytes = JSONText.padded(Array(text.utf8))
    return AnsweredID.find(in: bytes.span, 0..<text.utf8.count).map {
      String(decoding: bytes[$0.range], as: UTF8.self)
    }
  }

  @Test func `it is found before what is wrong`() {
    #expect(id(in: #"{"jsonrpc":"2.0","id":7,"result":[1,}"#) == "7")
    #expect(id(in: #" { "id" : 7 , "result":tru"#) == "7")
    #expect(id(in: #"{"jsonrpc":"2.0","id":7,"result":"# + String(repeating: "[", count: 2_000)) == "7")
    #expect(id(in: #"{"result":1,"id":7} behind"#) == "7")
  }

  @Test(arguments: [
    "", "{", "{}", "x", "[7]", #"{"id""#, #"{"id":"#, #"{"id":7"#, #"{"result":[1,},"id":7}"#,
    #"{"method":"ask","id":7,"params":[1,}"#, #"{"id":7,"method":"ask","params":[1,}"#,
  ])
  func `it is not found behind that, nor in a request`(text: String) { #expect(id(in: text) == nil) }
}
