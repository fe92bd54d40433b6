import JSONRPC
import Testing

@Suite struct ObjectReaderTests {
  private func members(of object: String) -> [String] {
    let text = WireText(object)
    var reader = ObjectReader(text.raw)
    var members: [String] = []
    while let member = reader.next(in: text.bytes.span) {
      members.append("\(text[member.name]) = \(text[member.value]) (\(member.kind))")
    }
    return members
  }

  @Test(arguments: [#""" "#, #""""#, #""a""#, #" "a" "#, #""a""#, "1", "null", "true", "[{}]"])
  func `what is no object has no members`(text: String) {
    for slack in [0, 0x22, 0x7D] as [UInt8] {
      let text = WireText(Array(text.utf8), slack: [slack])
      var reader = ObjectReader(text.raw)
      #expect(reader.next(in: text.bytes.span) == nil)
    }
  }

  @Test func `every member is given in its order with its kind`() {
    #expect(
      members(of: #"{"s":"x", "n" : -1.5 ,"o":{"a":[1]},"l":[{}, "}"],"t":true,"f":false,"z":null}"#) == [
        #"s = "x" (string)"#, "n = -1.5 (number)", #"o = {"a":[1]} (object)"#, #"l = [{}, "}"] (array)"#,
        "t = true (true)", "f = false (false)", "z = null (null)",
      ])
  }

  @Test func `an empty object and a missing one have no members`() {
    #expect(members(of: "{}") == [])
    #expect(members(of: "{ \n }") == [])
    let text = WireText("{}")
    var reader = ObjectReader(.none)
    let member = reader.next(in: text.bytes.span)
    #expect(member == nil)
  }

  @Test func `an array has no members`() {
    #expect(members(of: #"["a",{"id":1}]"#) == [])
    #expect(members(of: #"[1,"b"]"#) == [])
  }

  @Test func `names are compared unescaped`() {
    func isNamed(_ raw: String, _ name: StaticString) -> Bool {
      let text = WireText(#"{"\#(raw)":1}"#)
      var reader = ObjectReader(text.raw)
      return reader.next(in: text.bytes.span)?.isNamed(name, in: text.bytes.span) ?? false
    }
    #expect(isNamed("id", "id") && isNamed(#"i\u0064"#, "id") && isNamed("", ""))
    #expect(!isNamed("id", "i") && !isNamed("id", "ids") && !isNamed("id", "iD"))
    #expect(!isNamed(#"i\u0064"#, "i") && !isNamed(#"i\u0064"#, "ids") && !isNamed("", "i"))
  }

  @Test func `the deepest object that the scanner lets through can be read`() {
    let depth = JSONText.depthLimit - 1
    let deep = String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
    #expect(members(of: #"{"deep":\#(deep)}"#) == ["deep = \(deep) (object)"])
  }
}
