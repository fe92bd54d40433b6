import JSONRPC
import Testing

/// Messages whose members stand in any order or have blanks between them, which are read in a way of their own, too.
@Suite struct AnyOrderTests {
  private static let messages = [
    #"{"method":"m","params":{"q":"a b","in":[0,{}]},"task":{"key":"k","policy":"cancel"},"id":12,"jsonrpc":"2.0"}"#,
    #"{"jsonrpc": "2.0", "id": 12, "method": "m", "task": {"key": "k", "policy": "wait"}, "params": {"q": "a", "in": [0, 1]}}"#,
    #"{"id": "request-7", "jsonrpc": "2.0", "task": {"timeoutMs": 5, "key": "k"}, "method": "m"}"#,
    #"{ "params": [[], {"größe": "größte – 北京 🂡", "b": ["a\n", "\u00e4", -1.5e3]}], "method": "m", "jsonrpc": "2.0"}"#,
    #"{"id":123456789,"result":[{"a":"x","b":true},{"a":"","b":null}],"jsonrpc":"2.0"}"#,
    #"{"jsonrpc": "2.0", "error": {"code": -32000, "message": "no: \"x\""}, "id": "a"}"#,
    #"{"result": {"text": "longer than a whole block of bytes, that is, than sixty-four of them"}, "jsonrpc": "2.0", "id": 1}"#,
  ]

  @Test(arguments: messages)
  func `a message in any order is read as any other`(message: String) {
    let scan = Scan(message)
    #expect(scan.outcome == .message && scan.envelope.isFreeOfLineBreaks)
    SlowPathReading.expectSame(Array(message.utf8), slack: [0])
  }

  @Test(arguments: messages)
  func `a message in any order that is cut off is judged as any other`(message: String) {
    let message = Array(message.utf8)
    for end in 1..<message.count {
      SlowPathReading.expectSame(Array(message[..<end]), slack: Array(message[end...]) + [0])
      SlowPathReading.expectSame(Array(message[..<end]), slack: Array("1\",:}]".utf8))
    }
  }

  @Test(arguments: messages)
  func `a message in any order that is damaged is judged as any other`(message: String) {
    let message = Array(message.utf8)
    for index in message.indices.dropFirst() {
      for byte in SlowPathReading.telling {
        var damaged = message
        damaged[index] = byte
        SlowPathReading.expectSame(damaged, slack: [0])
        damaged.insert(message[index], at: index)
        SlowPathReading.expectSame(damaged, slack: [0])
      }
    }
  }

  @Test func `every order of members, and every choice of them, is judged as any other`() {
    let members = [
      #""jsonrpc":"2.0""#, #""id":1"#, #""method":"m""#, #""params":[]"#, #""task":{"key":"k"}"#,
      #""result":{}"#,
      #""error":{}"#, #""x":1"#, #""id":null"#, #""result":1"#, #""jsonrpc":"1.0""#, #""error":[]"#,
      #""method":1"#,
    ]
    for first in members {
      for second in members {
        for third in members {
          for comma in [",", ", "] {
            let text = "{" + [first, second, third].joined(separator: comma) + "}"
            SlowPathReading.expectSame(Array(text.utf8), slack: [0])
            SlowPathReading.expectSame(Array(#"{"jsonrpc":"2.0",\#(text.dropFirst())"#.utf8), slack: [0])
          }
        }
      }
    }
  }

  @Test(arguments: ["  ", "\t", "\n", "\r", " \n", "\u{0}", "\u{A0}"])
  func `other white space than one blank is judged as any other, wherever it stands`(space: String) {
    for message in Self.messages {
      let message = Array(message.utf8)
      for place in 1...message.count {
        SlowPathReading.expectSame(message[..<place] + Array(space.utf8) + message[place...], slack: [0])
      }
    }
  }

  @Test func `the limits hold in any order`() {
    for message in [
      #"{"method": "abc", "params": [[]], "id": 123, "jsonrpc": "2.0"}"#,
      #"{"id":"1","params":[[]],"jsonrpc":"2.0","method":"abc"}"#,
    ] {
      for limit in 1...4 {
        let levels = Scan(message, ScanLimits(nestingLevels: limit))
        #expect(levels.isMalformed == (limit < 3))
        let id = Scan(message, ScanLimits(idBytes: limit))
        #expect(id.fault == (limit < 3 ? .idTooLong(limitBytes: limit) : nil))
        let method = Scan(message, ScanLimits(methodBytes: limit))
        #expect(method.fault == (limit < 3 ? .methodTooLong(limitBytes: limit) : nil))
      }
    }
  }

  @Test func `what is no UTF-8 is told where it begins, whatever bytes it has`() {
    let second: [UInt8] = [0x00, 0x22, 0x5C, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
    let later: [UInt8] = [0x41, 0x7F, 0x80, 0xBF, 0xC0]
    for first in UInt8(0x80)...0xFF {
      for two in second {
        for three in later {
          for four in later {
            let text =
              Array(#"{"jsonrpc":"2.0","id":1,"result":[""#.utf8) + [first, two, three, four]
              + Array(#""]}"#.utf8)
            SlowPathReading.expectSame(text, slack: [0])
          }
        }
      }
    }
  }

  /// So that they end and begin at all places of a block of marks.
  @Test(arguments: 0...66)
  func `strings of any length behind each other are read as they stand`(length: Int) {
    for odd in ["", "é", "北", "🂡", #"\n"#, #"\""#, "\u{1F}"] {
      let long = String(repeating: "x", count: length) + odd
      for text in [
        #"["\#(long)","y","\#(long)",{"\#(long)":"\#(long)","a":"b","c":[]},"",1]"#,
        #"{"\#(long)": "", "a": ["", "\#(long)", 12345678, "\#(long)"], "b": "\#(long)\#(long)"}"#,
      ] {
        let message = Array(#"{"jsonrpc":"2.0","id":1,"result":\#(text)}"#.utf8)
        SlowPathReading.expectSame(message, slack: [0])
        let isRight = PlainChecker.accepts(message)
        #expect(isRight == (odd != "\u{1F}") && WireText(message).scan().isMalformed == !isRight)
      }
    }
  }
}
