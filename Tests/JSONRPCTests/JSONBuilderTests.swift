import JSONRPC
import Testing

@Suite struct JSONBuilderTests {
  @Test func `values of every kind are written as JSON`() {
    var json = JSONBuilder()
    json.object { json in
      json.member("text", "a\"\n\u{e9}")
      json.member("number", -7)
      json.member("empty") { _ in }
      json.array("objects", [1, 2]) { $0.member("n", $1) }
      json.array("strings", ["", "{"])
      json.pairs("pairs", [(1, 2), (3, .max)])
      json.member("bytes", [0x61, 0xff])
    }
    let expected = """
      {"text":"a\\"\\u000a\u{e9}","number":-7,"empty":{},"objects":[{"n":1},{"n":2}],"strings":["","{"],\
      "pairs":[[1,2],[3,18446744073709551615]],"bytes":"a\u{fffd}"}
      """
    #expect(String(decoding: json.bytes, as: UTF8.self) == expected)
  }
}
