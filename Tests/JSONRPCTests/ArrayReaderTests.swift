import HotData
import JSONRPC
import Testing

@Suite struct ArrayReaderTests {
  private func elements(of array: String) -> [String] {
    let text = WireText(array)
    var reader = ArrayReader(text.range)
    var elements: [String] = []
    while let element = reader.next(in: text.bytes.span) {
      elements.append("\(text[element.value]) (\(element.kind))")
    }
    #expect(reader.next(in: text.bytes.span) == nil)
    return elements
  }

  private func count(_ array: String, upTo limit: Int) -> Int {
    let text = WireText(array)
    return ArrayReader(text.range).count(in: text.bytes.span, upTo: limit)
  }

  @Test func `every element is given in its order with its kind`() {
    #expect(
      elements(of: " [ \"a,]\" ,-1.5\n,{\"a\":[1,2]},[ ] , true,false,null\t]\r\n") == [
        "\"a,]\" (string)", "-1.5 (number)", "{\"a\":[1,2]} (object)", "[ ] (array)", "true (true)",
        "false (false)", "null (null)",
      ])
  }

  @Test func `an empty array has no elements`() {
    #expect(elements(of: "[]") == [])
    #expect(elements(of: " [ \n ] ") == [])
    #expect(count("[]", upTo: 10) == 0)
  }

  @Test func `what is no array has no elements`() {
    for text in ["{}", #"{"a":[1]}"#, "1", #""[1]""#, "null"] { #expect(elements(of: text) == []) }
    let text = WireText("[1]")
    var reader = ArrayReader(ByteRange.none)
    let element = reader.next(in: text.bytes.span)
    #expect(element == nil)
  }

  @Test func `elements are counted up to the limit`() {
    let items = Array(repeating: #"{"a":[1,{}]}"#, count: WireLimits.batchItems)
    let full = "[\(items.joined(separator: ","))]"
    #expect(count(full, upTo: WireLimits.batchItems + 1) == 1000)
    #expect(count("[1,\(full.dropFirst())", upTo: WireLimits.batchItems + 1) == 1001)
    #expect(count("[1,2,3]", upTo: 2) == 2)
  }

  @Test func `counting leaves the reader where it is`() {
    let text = WireText("[1,2,3]")
    var reader = ArrayReader(text.range)
    _ = reader.next(in: text.bytes.span)
    #expect(reader.count(in: text.bytes.span, upTo: 10) == 2)
    let second = reader.next(in: text.bytes.span)
    #expect(second.map { text[$0.value] } == "2")
  }

  @Test func `each message of a batch is scanned on its own`() {
    let text = WireText(
      #" [{"jsonrpc":"2.0","id":1,"method":"a"} , 1,[], {"jsonrpc":"2.0","id":2,"method":3}]"#)
    var reader = ArrayReader(text.range)
    var outcomes: [ScanOutcome] = []
    while let element = reader.next(in: text.bytes.span) {
      var envelope = Envelope()
      outcomes.append(EnvelopeScanner.scan(text.bytes.span, element.value.range, into: &envelope))
    }
    #expect(outcomes == [.message, .invalid(.notAnObject), .batch, .invalid(.methodNotAString)])
  }

  @Test func `the deepest batch that the scanner lets through can be read`() {
    let depth = JSONText.depthLimit - 1
    let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    #expect(Scan("[\(deep)]", ScanLimits(nestingLevels: JSONText.depthLimit)).outcome == .batch)
    #expect(elements(of: "[\(deep),1]") == ["\(deep) (array)", "1 (number)"])
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `random elements are read back as they were written`(seed: UInt64) {
    var json = RandomJSON(random: SplitMix64(seed: seed))
    for length in 0..<100 {
      let documents = (0..<length % 7).map { _ in String(decoding: json.document(), as: UTF8.self) }
      let text = WireText("[ \(documents.joined(separator: " ,\n")) ]")
      var reader = ArrayReader(text.range)
      var values: [String] = []
      while let element = reader.next(in: text.bytes.span) { values.append(text[element.value]) }
      #expect(values == documents)
    }
  }
}
