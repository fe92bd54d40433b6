import HotData
import JSONRPC
import Testing

/// A text that is checked while it comes is judged as one that is read at once.
@Suite struct JSONCheckTests {
  /// What is found of a text that comes in parts, each ending at one of `ends`, and is followed by other bytes.
  private func verdict(
    on text: [UInt8], partsEndingAt ends: [Int], nestingLevels: Int = WireLimits.nestingLevels
  ) -> JSONCheck.Verdict {
    let slack = [UInt8](repeating: UInt8(ascii: "["), count: JSONText.slackByteCount)
    var check = JSONCheck(nestingLevels: nestingLevels)
    for end in ends + [text.count] { check.read(Array(text[..<end]).span, upTo: end) }
    return check.verdict(in: (text + slack).span)
  }

  private func expected(_ text: [UInt8], nestingLevels: Int = WireLimits.nestingLevels) -> JSONCheck.Verdict {
    switch WireText(text, lead: 0).scan(ScanLimits(nestingLevels: nestingLevels)).outcome {
    case .malformed(let offset): .malformed(offset: offset)
    case .tooDeep(let offset): .tooDeep(offset: offset)
    case .message, .batch, .invalid: .json
    }
  }

  private func compare(
    _ text: [UInt8], nestingLevels: Int = WireLimits.nestingLevels,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let expected = expected(text, nestingLevels: nestingLevels)
    for ends in [[], Array(text.indices), text.indices.filter { $0 % 7 == 3 }] {
      let verdict = verdict(on: text, partsEndingAt: ends, nestingLevels: nestingLevels)
      guard verdict != expected else { continue }
      let shown = String(decoding: text.prefix(300), as: UTF8.self)
      Issue.record(
        "\(verdict), not \(expected): \(shown) \(text.prefix(300))", sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `documents, their beginnings and damaged forms of them`(seed: UInt64) {
    var json = RandomJSON(random: SplitMix64(seed: seed))
    for _ in 0..<20 {
      let document = json.document()
      for end in 0...document.count { compare(Array(document[..<end])) }
      for _ in 0..<40 { compare(json.damaged(document)) }
    }
  }

  @Test(arguments: [
    "", " ", "1", "-", "-0", "01", "1.", "1.5e", "1e+", "1E-7", "tru", "true", "nulx", "falsy", #""\u12"#,
    #""\u12G4""#,
    #""\x""#, #""\"#, #""é€𝄞""#, "\"\t\"", #"{"a" 1}"#, #"{"a":1,}"#, "{,}", "[1,]", "[,]", "[1 2]", "1[",
    "[1]]",
    #"{"a":[}"#, #"{"a":{"b":[1,{"c":"d"}]}}"#, #"{1:2}"#, "{} x", " [ ] ", "\u{FEFF}{}", "\u{0}",
  ])
  func `texts, whole and in parts`(text: String) { compare(Array(text.utf8)) }

  @Test func `every byte after every beginning`() {
    let beginnings = [
      "", "[", "{", "[1", "[1,", #"{"a"#, #"{"a""#, #"{"a":"#, #"{"a":1"#, #"{"a":1,"#, #"[""#, #"["\"#,
      #"["\u"#,
      #"["\u1"#, #"["\u12"#, #"["\u123"#, "[-", "[0", "[1.", "[1.2", "[1e", "[1e+", "[1e1", "[t", "[tr",
      "[tru",
      "[true", "[f", "[fa", "[fal", "[fals", "[n", "[nu", "[nul", "[null", "[]", "1 ", "[ ", "{ ",
      #"{"a":1 "#,
    ]
    for beginning in beginnings {
      for byte in UInt8.min...UInt8.max {
        compare(Array(beginning.utf8) + [byte])
        compare(Array(beginning.utf8) + [byte] + Array(#"1"]}"#.utf8))
      }
    }
  }

  @Test func `every scalar's first two bytes, and what may follow them`() {
    for first in UInt8(0x7F)...UInt8.max {
      for second in [0x22, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0] as [UInt8] {
        for rest in [[], [0x80], [0xBF, 0x80], [0x80, 0x7F]] as [[UInt8]] {
          compare([0x5B, 0x22, first, second] + rest + [0x22, 0x5D])
        }
      }
    }
  }

  @Test(arguments: [1, 2, 60, 61, 128, 129, 300])
  func `nesting up to the bound, and beyond it`(bound: Int) {
    for depth in [bound, bound + 1] {
      let levels = (0..<depth).map { $0 % 3 == 0 }
      let opening = levels.map { $0 ? "[" : #"{"a":"# }.joined()
      let closing = levels.reversed().map { $0 ? "]" : "}" }.joined()
      compare(Array((opening + "1" + closing).utf8), nestingLevels: bound)
      compare(Array((opening + "1" + closing.dropFirst()).utf8), nestingLevels: bound)
      compare(Array((opening + "1[").utf8), nestingLevels: bound)
    }
  }

  @Test func `a long string, with something in it at every place`() {
    let plain = [UInt8](repeating: UInt8(ascii: "x"), count: 70)
    for place in plain.indices {
      for inside in [#"\n"#, "é", "\u{1}", "\"", #"\u00e9"#, #"\q"#] {
        compare(
          Array("[\"".utf8) + plain[..<place] + Array(inside.utf8) + plain[place...] + Array("\"]".utf8))
      }
    }
  }

  // MARK: What is known to be JSON

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `a text that is known to be JSON is scanned as any other`(seed: UInt64) {
    var json = RandomJSON(random: SplitMix64(seed: seed))
    for _ in 0..<300 {
      let text = WireText(json.document(), slack: Array(#"]}"{["#.utf8))
      let scan = text.scan()
      var envelope = Envelope()
      let outcome = EnvelopeScanner.scanKnown(text.bytes.span, text.range, ScanLimits(), into: &envelope)
      #expect(outcome == scan.outcome && ranges(envelope) == ranges(scan.envelope))
      #expect(outcome != .message || envelope.isFreeOfLineBreaks == scan.envelope.isFreeOfLineBreaks)
    }
  }

  private func ranges(_ envelope: Envelope) -> [ByteRange] {
    [
      envelope.version, envelope.id, envelope.method, envelope.params, envelope.task, envelope.result,
      envelope.error,
    ]
  }

  @Test(arguments: [
    #"[]"#, "[[[[[[[[[]]]]]]]]]", #"[{},{},{},{}]"#, #"["]","}","[","{"]"#, #"["\"]","\\","\\\"]"]"#,
    #"[[],[[],[]],[[[]]]]"#, #"["é]","]]]]]]]]]]]]]]]]]]]]"]"#, "[ [ ] , [\t] ]",
  ])
  func `the end of a container is found by its brackets alone`(container: String) { findEnd(of: container) }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `the end of a long container is found, whatever stands where one block of it ends`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<300 {
      var container = "["
      var closing = "]"
      for _ in 0..<Int.random(in: 0..<40, using: &random) {
        let backslashes = String(repeating: #"\\"#, count: Int.random(in: 0..<40, using: &random))
        container += [
          "[],", "{},", #""]","#, #"{"}":"{"},"#, "1111111,", "\"\(backslashes)\",",
          "\"\(backslashes)\\\"]\",", String(repeating: "[],", count: 30), #""\u005b","#,
        ].randomElement(using: &random)!
        if Bool.random(using: &random) { (container, closing) = (container + "[", "]" + closing) }
      }
      findEnd(of: container + "7" + closing)
    }
  }

  private func findEnd(of container: String) {
    for lead in 0..<9 {
      let text = WireText(Array("[\(String(repeating: "1", count: lead + 1)),\(container),7]".utf8))
      var reader = ArrayReader(text.range)
      _ = reader.next(in: text.bytes.span)
      #expect(reader.next(in: text.bytes.span).map { text[$0.value] } == container)
      #expect(reader.next(in: text.bytes.span).map { text[$0.value] } == "7")
      #expect(reader.next(in: text.bytes.span) == nil)
    }
  }

  // MARK: Framers

  /// The verdicts on the messages that came in parts.
  private func verdicts<Framer: MessageFraming & ~Copyable>(
    _ framer: consuming Framer, _ stream: String, partsOf byteCount: Int, from threshold: Int
  ) -> [JSONCheck.Verdict?] {
    let bytes = Array(stream.utf8)
    var verdicts: [JSONCheck.Verdict?] = []
    for start in stride(from: 0, to: bytes.count, by: byteCount) {
      let chunk = Array(bytes[start..<min(start + byteCount, bytes.count)])
      var offset = 0
      reading: while true {
        let frame = framer.next(in: chunk.span, count: chunk.count, from: &offset)
        framer.check(from: threshold, nestingLevels: 3)
        switch frame {
        case .incomplete: break reading
        case .inPlace, .tooLong, .badHeader: continue
        case .assembled:
          let message = framer.takeAssembled()
          verdicts.append(message.verdict)
          framer.recycle(message)
        }
      }
      #expect(framer.uncheckedByteCount <= max(threshold, 4))
    }
    return verdicts
  }

  private func body(_ text: String) -> String { "Content-Length: \(text.utf8.count)\r\n\r\n\(text)" }

  @Test(arguments: [1, 2, 3, 5, 7])
  func `each long message has its own verdict`(byteCount: Int) {
    let texts = [#"{"a":[1,2,3]}"#, #"{"a":[1,2,3}"#, "[[[[1,2,3]]]]", #"["\u12345678"]"#, #"["a","b","c"#]
    let expected: [JSONCheck.Verdict] = [
      .json, .malformed(offset: 11), .tooDeep(offset: 3), .json, .malformed(offset: 11),
    ]
    let lines = texts.map { $0 + "\r\n \t \t \t \t \t \t\r\n" }.joined()
    let framer = { MessageFramer(limitBytes: 100) }
    #expect(verdicts(framer(), lines, partsOf: byteCount, from: 1) == expected)
    #expect(verdicts(framer(), texts.map(body).joined(), partsOf: byteCount, from: 1) == expected)
    for framing in Framing.allCases {
      let stream = framing == .lines ? "\u{FEFF}" + lines : texts.map(body).joined()
      for toleratesNoise in [false, framing == .contentLength] {
        let framer = UpstreamFramer(limitBytes: 100, framing: framing, toleratesNoise: toleratesNoise)
        #expect(verdicts(framer, stream, partsOf: byteCount, from: 1) == expected)
      }
    }
  }

  @Test func `a short message has none, and one beyond its limit leaves none behind`() {
    let long = #"{"a":"# + String(repeating: "1", count: 60) + "}"
    let stream = "[1,2,3,4]\n" + long + "\n" + long + "9\n" + #"["a"]"# + "\n" + long + "\n"
    let framer = MessageFramer(limitBytes: long.utf8.count)
    #expect(verdicts(framer, stream, partsOf: 4, from: 20) == [nil, .json, nil, .json])
  }

  @Test(arguments: [1, 2, 3, 5])
  func `only the CR of its line end is no part of a line`(byteCount: Int) {
    let stream = "[1,98\r\r\n[1,98\r\n[1,98]\r\r\n"
    let expected: [JSONCheck.Verdict] = [.malformed(offset: 6), .malformed(offset: 5), .json]
    #expect(verdicts(MessageFramer(limitBytes: 100), stream, partsOf: byteCount, from: 1) == expected)
  }
}
