import JSONRPC
import Testing

/// Messages as nearly all programs write them, which are read in a way of their own.
@Suite struct FastMessageTests {
  private static let messages = [
    #"{"jsonrpc":"2.0","id":12,"method":"m","params":{"n":7,"a":[{},[],"x"]},"task":{"key":"k","policy":"wait"}}"#,
    #"{"jsonrpc":"2.0","id":123456789,"method":"textDocument/hover","params":[[1,22],{"b":{"c":"d"}}]}"#,
    #"{"jsonrpc":"2.0","method":"note","params":{},"task":{"key":"k"}}"#,
    #"{"jsonrpc":"2.0","id":1,"method":"m","task":{"key":"k","timeoutMs":5},"params":{"n":[]}}"#,
    #"{"jsonrpc":"2.0","id":7,"method":"m","params":[0,0.75,12.5,true,{"a":false,"b":null,"c":0}]}"#,
    #"{"jsonrpc":"2.0","id":1234567,"result":{"n":12345678,"text":"longer than one block of bytes"}}"#,
    #"{"jsonrpc":"2.0","id":"request-7","method":"m","task":{"key":"k"},"params":{"q":"größte – 北京 🂡","b":"a\n\u00e4"}}"#,
    #"{"jsonrpc":"2.0","id":"","result":["Łódź","",{"é":"é"},"é"]}"#,
  ]

  @Test(arguments: messages)
  func `a message on the fast path is read as any other`(message: String) {
    let scan = Scan(message)
    #expect(scan.outcome == .message && scan.envelope.isFreeOfLineBreaks)
    SlowPathReading.expectSame(Array(message.utf8), slack: [0])
  }

  @Test(arguments: messages)
  func `a message on the fast path that is cut off is judged as any other`(message: String) {
    let message = Array(message.utf8)
    for end in 1..<message.count {
      SlowPathReading.expectSame(Array(message[..<end]), slack: Array(message[end...]) + [0])
      SlowPathReading.expectSame(Array(message[..<end]), slack: Array("1\",:}]".utf8))
    }
  }

  @Test(arguments: messages)
  func `a message on the fast path that is damaged is judged as any other`(message: String) {
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

  @Test(arguments: [
    #""id":0,"method":"m""#, #""id":-1,"method":"m""#, #""id":1.5,"method":"m""#, #""id":1e3,"method":"m""#,
    #""id":1234567890123456,"method":"m""#, #""id":12345678901234567,"method":"m""#, #""id":01,"method":"m""#,
    #""id":"a","method":"m""#, #""id":"\u0061","method":"m""#, #""id":"é","method":"m""#, #""id":"a","id":1"#,
    #""id":1,"id":2,"method":"m""#, #""id":1,"method":"m","id":1"#,
    #""id":1,"method":"m","method":"m""#, #""method":"m","id":1"#, #""id":1,"method":"m\u0065""#,
    #""id":1,"method":"m","params":{},"params":{}"#, #""id":1,"method":"m","params":null"#,
    #""id":1,"method":"m","params":1"#, #""id":1,"method":"m","result":{}"#, #""result":{}"#,
    #""id":1,"result":{},"error":{}"#, #""id":1,"result":{},"result":{}"#, #""id":1,"result":null"#,
    #""id":1,"result":{},"method":"m""#, #""id":1,"error":{}"#, #""id":1,"params":{}"#,
    #""id":1,"task":{"key":"a"}"#,
    #""id":1,"result":[00]"#, #""id":1,"result":[01]"#, #""id":1,"result":[0.]"#, #""id":1,"result":[.5]"#,
    #""id":1,"result":[1.5.5]"#, #""id":1,"result":[0.123456789]"#, #""id":1,"result":[123456789.5]"#,
    #""id":1,"result":[1.5e3]"#, #""id":1,"result":[truE]"#, #""id":1,"result":[nullx]"#,
    #""id":1,"result":[false1]"#, #""id":1,"result":[fals]"#, #""id":1,"result":[-0.5,-1]"#,
    #""id":1,"method":"m","task":{"key":"a"},"task":{"key":"a"}"#,
    #""id":1,"method":"m","task":{"key":"a"},"x":1"#, #""id":1,"method":"m","task":{"key":"a"}"#,
    #""id":1,"method":"m","task":{"key":"a"},"params":{},"params":{}"#,
    #""id":1,"method":"m","params":{},"task":{"key":"a"},"params":{}"#,
    #""id":1,"method":"m","task":{"key":"a"},"params":{},"task":{"key":"a"}"#,
    #""id":1,"method":"m","task":{},"params":{}"#, #""id":1,"method":"m","task":1"#, #""id":1,"method":"""#,
  ])
  func `a message that is on the fast path only in part is judged as any other`(members: String) {
    SlowPathReading.expectSame(Array(#"{"jsonrpc":"2.0",\#(members)}"#.utf8), slack: [0])
  }

  @Test func `the limits hold for messages on the fast path`() {
    let message = #"{"jsonrpc":"2.0","id":123,"method":"abc","params":[[]]}"#
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
