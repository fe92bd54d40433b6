import JSONRPC
import Testing

/// Messages as nearly all programs write them, which are read in a way of their own.
@Suite struct UsualMessageTests {
  private static let messages = [
    #"{"jsonrpc":"2.0","id":12,"method":"m","params":{"n":7,"a":[{},[],"x"]},"task":{"key":"k","policy":"wait"}}"#,
    #"{"jsonrpc":"2.0","id":123456789,"method":"textDocument/hover","params":[[1,22],{"b":{"c":"d"}}]}"#,
    #"{"jsonrpc":"2.0","method":"note","params":{},"task":{"key":"k"}}"#,
    #"{"jsonrpc":"2.0","id":1234567,"result":{"n":12345678,"text":"longer than one block of bytes"}}"#,
  ]

  @Test(arguments: messages)
  func `a usual message is read as any other`(message: String) {
    let scan = Scan(message)
    #expect(scan.outcome == .message && scan.envelope.isFreeOfLineBreaks)
    expectSameAsUnusual(Array(message.utf8), slack: [0])
  }

  @Test(arguments: messages)
  func `a usual message that is cut off is judged as any other`(message: String) {
    let message = Array(message.utf8)
    for end in 1..<message.count {
      expectSameAsUnusual(Array(message[..<end]), slack: Array(message[end...]) + [0])
      expectSameAsUnusual(Array(message[..<end]), slack: Array("1\",:}]".utf8))
    }
  }

  @Test(arguments: messages)
  func `a usual message that is damaged is judged as any other`(message: String) {
    let message = Array(message.utf8)
    for index in message.indices.dropFirst() {
      for byte in Array("\"}{][,:0 1.e-\n\\k".utf8) + [0x1F, 0x80] {
        var damaged = message
        damaged[index] = byte
        expectSameAsUnusual(damaged, slack: [0])
        damaged.insert(message[index], at: index)
        expectSameAsUnusual(damaged, slack: [0])
      }
    }
  }

  @Test(arguments: [
    #""id":0,"method":"m""#, #""id":-1,"method":"m""#, #""id":1.5,"method":"m""#, #""id":1e3,"method":"m""#,
    #""id":1234567890123456,"method":"m""#, #""id":12345678901234567,"method":"m""#, #""id":01,"method":"m""#,
    #""id":"a","method":"m""#, #""id":1,"id":2,"method":"m""#, #""id":1,"method":"m","id":1"#,
    #""id":1,"method":"m","method":"m""#, #""method":"m","id":1"#, #""id":1,"method":"m\u0065""#,
    #""id":1,"method":"m","params":{},"params":{}"#, #""id":1,"method":"m","params":null"#,
    #""id":1,"method":"m","params":1"#, #""id":1,"method":"m","result":{}"#, #""result":{}"#,
    #""id":1,"result":{},"error":{}"#, #""id":1,"result":{},"result":{}"#, #""id":1,"result":null"#,
    #""id":1,"result":{},"method":"m""#, #""id":1,"error":{}"#, #""id":1,"params":{}"#,
    #""id":1,"task":{"key":"a"}"#,
    #""id":1,"method":"m","task":{"key":"a"},"task":{"key":"a"}"#,
    #""id":1,"method":"m","task":{"key":"a"},"x":1"#,
    #""id":1,"method":"m","task":{},"params":{}"#, #""id":1,"method":"m","task":1"#, #""id":1,"method":"""#,
  ])
  func `a message that is usual only in part is judged as any other`(members: String) {
    expectSameAsUnusual(Array(#"{"jsonrpc":"2.0",\#(members)}"#.utf8), slack: [0])
  }

  @Test func `the limits hold for usual messages`() {
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

  /// A blank after the first bracket makes any message an unusual one.
  private func expectSameAsUnusual(_ text: [UInt8], slack: [UInt8]) {
    let usual = Reading(WireText(text, slack: slack).scan(), lead: 0)
    let other = Reading(
      WireText([text[0], UInt8(ascii: " ")] + text.dropFirst(), slack: slack).scan(), lead: 1)
    // Asked for only then, because an expectation is far slower than a comparison.
    if usual != other { Issue.record("\(String(decoding: text, as: UTF8.self)): \(usual), not \(other)") }
  }

  /// All that is read in a text, as if nothing had been put into it.
  private struct Reading: Equatable {
    let malformedOffset: Int?
    let fault: EnvelopeFault?
    let members: [Range<Int>?]
    let flags: [Bool]

    init(_ scan: Scan, lead: Int) {
      malformedOffset = scan.malformedOffset.map { max(1, $0 - lead) }
      fault = scan.fault
      let (envelope, task) = (scan.envelope, scan.envelope.usualTask)
      let ranges = [
        envelope.version, envelope.id, envelope.method, envelope.params, envelope.task, envelope.result,
        envelope.error, task.key, task.policy, task.timeout,
      ]
      members = ranges.map { $0.isEmpty ? nil : $0.range.lowerBound - lead..<$0.range.upperBound - lead }
      flags = [
        scan.outcome == .batch, envelope.isNotification, envelope.methodHasEscapes,
        envelope.isFreeOfLineBreaks,
      ]
    }
  }
}
