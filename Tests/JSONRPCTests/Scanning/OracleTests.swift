import HotData
import JSONRPC
import Testing

@Suite struct OracleTests {
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `a document, its every prefix and damaged forms of it are judged as by the oracle`(seed: UInt64) {
    var json = RandomJSON(random: SplitMix64(seed: seed))
    for _ in 0..<60 {
      let document = json.document()
      #expect(PlainChecker.accepts(document))
      for end in 0...document.count { compare(Array(document[..<end])) }
      for _ in 0..<60 { compare(json.damaged(document)) }
      compare(json.damaged(json.damaged(document)))
    }
  }

  private func compare(_ text: [UInt8]) {
    let isAccepted = !Scan(text).isMalformed
    guard isAccepted != PlainChecker.accepts(text) else { return }
    Issue.record("accepted: \(isAccepted): \(String(decoding: text, as: UTF8.self)) \(text)")
  }

  @Test func `the oracle itself knows right from wrong`() {
    for text in ["{}", "[1,2]", #" {"a" : [ ] } "#, #""\u00e9""#, "-1.5e+3"] {
      #expect(PlainChecker.accepts(Array(text.utf8)))
    }
    for text in ["", "[1,]", "01", "{,}", #""\x""#, "1.", #"{"a":1,}"#, "tru", "1 1"] {
      #expect(!PlainChecker.accepts(Array(text.utf8)))
    }
    #expect(!PlainChecker.accepts([0x22, 0xC0, 0xAF, 0x22]))
  }

  @Test(arguments: [
    [0x22], [0x7D], [0x5D], [0x2C], [0x3A], [0x20], [0x0A], [0x30], [0x31, 0x65, 0x31], [0x5C, 0x75, 0x30],
    [0x80], [0xBF, 0xBF, 0x22], [0xFF], Array("true".utf8), Array("ull,".utf8), Array(#"","id":1}"#.utf8),
    [0x5B], [0x7B],
  ])
  func `what follows a text changes nothing`(slack: [UInt8]) {
    var json = RandomJSON(random: SplitMix64(seed: 99))
    var documents = (0..<40).map { _ in json.document() }
    documents += [
      #"{"jsonrpc":"2.0","method":"m","id":12"#,
      #"{"jsonrpc":"2.0","method":"é€𝄞\u00e9\ud834\udd1e","id":true}"#,
      "12.5e3", "-", "nul", "null", String(repeating: "[", count: 128),
    ].map { Array($0.utf8) }
    for document in documents {
      for end in 0...document.count {
        let text = Array(document[..<end])
        let alone = WireText(text).scan()
        let followed = WireText(text, slack: slack).scan()
        #expect(followed.outcome == alone.outcome)
        #expect(followed.envelope.id == alone.envelope.id)
        #expect(followed.envelope.method == alone.envelope.method)
      }
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `members are read back as they were written`(seed: UInt64) {
    var json = RandomJSON(random: SplitMix64(seed: seed))
    for _ in 0..<300 {
      let text = WireText(Array("{".utf8) + Array(#""first":"#.utf8) + json.document() + Array("}".utf8))
      var reader = ObjectReader(text.raw)
      let member = reader.next(in: text.bytes.span)
      let next = reader.next(in: text.bytes.span)
      #expect(member.map { text[$0.name] } == "first" && next == nil)
      #expect(member.map { PlainChecker.accepts(Array(text[$0.value].utf8)) } == true)
    }
  }
}
