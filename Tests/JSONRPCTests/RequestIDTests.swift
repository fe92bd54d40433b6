import JSONRPC
import Testing

@Suite struct RequestIDTests {
  private func id(_ raw: String) -> RequestID {
    let text = WireText(raw)
    return RequestID(text.raw, in: text.bytes.span)
  }

  private func bytes(of id: RequestID) -> [UInt8] {
    id.withBytes { bytes in bytes.indices.map { bytes[$0] } }
  }

  @Test(arguments: [1, 2, 23, 24, 25, 64, 127, 128])
  func `an id of any length is kept byte for byte`(count: Int) {
    let raw = String("12345678901234567890123456789012".utf8.map { Character(Unicode.Scalar($0)) })
    let long = String(String(repeating: raw, count: 4).prefix(count))
    #expect(bytes(of: id(long)) == Array(long.utf8))
    #expect(id(long).count == count && !id(long).isAbsent)
    #expect(id(long) == id(long) && id(long).hashValue == id(long).hashValue)
    #expect(id(long) != id(String(long.dropLast()) + "x"))
  }

  @Test func `no id is absent`() {
    #expect(RequestID().isAbsent && RequestID().count == 0 && bytes(of: RequestID()) == [])
    #expect(id("") == RequestID())
    #expect(!id("null").isAbsent)
  }

  @Test func `ids are equal when their bytes are`() {
    #expect(Set([id("1"), id("1.0"), id(#""1""#), id("1"), RequestID()]).count == 4)
  }

  @Test func `an id matches the same JSON value`() {
    func matches(_ own: String, _ other: String) -> Bool {
      let text = WireText(other)
      let isMatch = id(own).matches(text.raw, in: text.bytes.span)
      #expect(isMatch == (id(own).plain == id(other).plain), "\(own) and \(other)")
      return isMatch
    }
    #expect(matches("7", "7") && matches(#""a""#, #""a""#) && matches("null", "null"))
    #expect(
      matches(#""a""#, #""\u0061""#) && matches(#""\u0061""#, #""a""#) && matches(#""é""#, #""\u00e9""#))
    #expect(matches(#""\ud800""#, #""\uD800""#) && matches(#""\/""#, #""/""#))
    #expect(!matches("7", #""7""#) && !matches("7", "7.0") && !matches(#""a""#, #""b""#))
    #expect(!matches(#""a""#, #""ab""#) && !matches(#""ab""#, #""a""#) && !matches("7", "77"))
    #expect(!matches(#""\ud800""#, #""\udc00""#) && !matches(#"""#, #""""#))
  }

  @Test func `an absent id matches nothing`() {
    let text = WireText("null")
    let isMatch = RequestID().matches(text.raw, in: text.bytes.span)
    #expect(!isMatch)
  }

  @Test func `an id of a request is small enough for a table of them`() {
    #expect(MemoryLayout<RequestID>.size <= 40)
  }
}
