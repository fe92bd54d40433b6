import JSONRPC
import Testing

@Suite struct JSONPointerTests {
  private func find(_ pointer: String, in document: String) throws -> String? {
    let text = WireText(document)
    return try JSONPointer(pointer).find(in: text.raw, of: text.bytes.span).map { text[$0] }
  }

  @Test(arguments: [
    ("", #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#),
    ("/foo", #"["bar","baz"]"#), ("/foo/0", #""bar""#), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"),
    ("/e^f", "3"), ("/g|h", "4"), (#"/i\j"#, "5"), (#"/k"l"#, "6"), ("/ ", "7"), ("/m~0n", "8"),
  ])
  func `the examples of the standard are found`(pointer: String, value: String) throws {
    let document =
      #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#
    #expect(try find(pointer, in: document) == value)
  }

  @Test func `it goes through objects and arrays`() throws {
    #expect(
      try find("/textDocument/uri", in: #"{"a":1,"textDocument":{"uri":"file:///x"}}"#) == #""file:///x""#)
    #expect(try find("/1/0/a", in: #"[0, [{"a" : [ 1 ]}]]"#) == "[ 1 ]")
    #expect(try find("/0", in: #"{"0":"a member"}"#) == #""a member""#)
    #expect(try find("/01", in: #"{"01":true}"#) == "true")
  }

  @Test func `of members with the same name the first one is found`() throws {
    #expect(try find("/a", in: #"{"b":0,"a":1,"a":2}"#) == "1")
    #expect(try find("/a/b", in: #"{"a":1,"a":{"b":2}}"#) == nil)
  }

  @Test func `names are compared unescaped and byte by byte`() throws {
    #expect(try find("/é", in: #"{"e\u0301":1,"\u00e9":2}"#) == "2")
    #expect(try find("/é", in: "{\"e\u{301}\":1,\"\u{E9}\":2}") == "2")
    #expect(try find("/ab", in: #"{"a":1,"a\u0062c":2,"a\u0062":3}"#) == "3")
    #expect(try find("/\u{FFFD}", in: #"{"\udead":1}"#) == nil)
    #expect(try find("/~01", in: #"{"/":1,"~1":2}"#) == "2")
  }

  @Test(arguments: [
    "/b", "/a/b", "/a/0", "/l/3", "/l/-", "/l/01", "/l/+1", "/l/1.0", "/l/", "/l/ 1", "/s/0", "/a/",
  ])
  func `a place that is not there is not found`(pointer: String) throws {
    #expect(try find(pointer, in: #"{"a":1,"l":[1,2,3],"s":"text"}"#) == nil)
  }

  @Test func `an index too large for any array is not found`() throws {
    #expect(try find("/18446744073709551615", in: "[1]") == nil)
    #expect(try find("/9223372036854775808", in: "[1]") == nil)
    #expect(try find("/99999999999999999999999", in: "[1]") == nil)
  }

  @Test func `nothing is found where there are no params`() throws {
    let text = WireText("{}")
    for pointer in ["", "/a"] {
      let found = try JSONPointer(pointer).find(in: .none, of: text.bytes.span)
      #expect(found == nil)
    }
  }

  @Test(arguments: ["a", "a/b", " /a", "#/a", "0"])
  func `a pointer without a slash before it is refused`(pointer: String) {
    #expect(throws: JSONPointer.Fault.noLeadingSlash) { try JSONPointer(pointer) }
  }

  @Test(arguments: ["/~", "/a~/b", "/~2", "/a/~~0"])
  func `a pointer with a stray tilde is refused`(pointer: String) {
    #expect(throws: JSONPointer.Fault.strayTilde) { try JSONPointer(pointer) }
  }

  @Test func `it keeps the text it was made from`() throws {
    #expect(try JSONPointer("/a~1b/0").text == "/a~1b/0")
  }
}
