import Testing
import WebSocket

/// Frames as RFC 6455 section 5 has them, and others.
@Suite struct WireTests {
  @Test(arguments: WireCase.all)
  func `it is read as it has to be, wherever it is cut`(wire: WireCase) {
    for end in [WebSocketEnd.server, .client] {
      let bytes = wire.frames.bytes(to: end)
      let whole = Reading(bytes, end)
      #expect(whole.events == wire.events && whole.rest.isEmpty)
      for cut in Self.cuts(bytes.count) where Reading(bytes, end, cuts: [cut]) != whole {
        Issue.record("it matters that it is cut at \(cut)")
      }
      // Whatever stands behind a fault or a Close changes nothing.
      if wire.endsConnection {
        // They could be the rest of a frame.
        let more = [UInt8(end == .server ? 0x85 : 0x05)] + (0..<40)
        #expect(Reading(bytes + more, end).events == wire.events)
      }
      guard bytes.count < 1000 else { continue }
      let single = Reading(bytes, end, cuts: bytes.isEmpty ? [] : Array(1..<bytes.count))
      #expect(single == whole)
      // A fault is told with the first byte that tells.
      if case .fault = wire.events.last { #expect(single.byteCountAtFault == bytes.count) }
    }
  }

  /// Every place; of what is long those where something changes, and some.
  private static func cuts(_ count: Int) -> [Int] {
    guard count > 400 else { return Array(0...count) }
    let half = max(0, count / 2 - 20)
    return Array(0...20) + Array(half...half + 40) + Array(stride(from: 21, to: count - 20, by: 8191))
      + Array(count - 20...count)
  }

  @Test func `a server takes only masked frames, and a client only others`() {
    let frames = [Frame(0x89, "a")]
    #expect(Reading(frames.bytes(to: .client), .server).events == [.fault(.notMasked)])
    #expect(Reading(frames.bytes(to: .server), .client).events == [.fault(.masked)])
  }

  @Test func `pieces are handed out as they come`() {
    var reader = WebSocketReader(.server, limitBytes: 100)
    var text: [UInt8] = []
    let bytes = [Frame(0x01, "Hello")].bytes(to: .server)
    func read(_ range: Range<Int>) -> WebSocketProgress {
      var offset = range.lowerBound
      return reader.next(in: bytes.span, count: range.upperBound, from: &offset, into: &text)
    }
    #expect(read(0..<6) == .more && text.isEmpty)
    #expect(read(6..<8) == .text(isEnd: false) && text == Array("He".utf8) && reader.isInMessage)
    #expect(read(8..<11) == .text(isEnd: false) && text == Array("Hello".utf8))
    #expect(reader.isInMessage)
  }

  @Test func `a message of as many bytes as are allowed is read, and no more, in whatever fragments`() {
    for size in [0, 1, 124, 125, 126, 65535, 65536] {
      let text = String(repeating: "x", count: size)
      for end in [WebSocketEnd.server, .client] {
        let start = [Frame(0x01, text), Frame(0x80, "")].bytes(to: end) + [Frame(0x81, text)].bytes(to: end)
        #expect(Reading(start, end, limitBytes: size).events == [.text(text), .text(text)])
        let more = [Frame(0x81, text + "x")].bytes(to: end)
        #expect(Reading(start + more, end, limitBytes: size).events.last == .fault(.tooLarge))
        let moreInTwo = [Frame(0x01, text), Frame(0x00, ""), Frame(0x80, "x")].bytes(to: end)
        #expect(Reading(start + moreInTwo, end, limitBytes: size).events.last == .fault(.tooLarge))
      }
    }
  }

  @Test func `another limit counts for the frames that begin from then on`() {
    var reader = WebSocketReader(.client, limitBytes: 2)
    var text: [UInt8] = []
    func read(_ frame: Frame) -> WebSocketProgress {
      let bytes = frame.bytes(to: .client)
      var offset = 0
      return reader.next(in: bytes.span, count: bytes.count, from: &offset, into: &text)
    }
    #expect(read(Frame(0x01, "ab")) == .text(isEnd: false))
    reader.limitBytes = 4
    #expect(reader.limitBytes == 4)
    #expect(read(Frame(0x00, "cd")) == .text(isEnd: false))
    // Less than there is already.
    reader.limitBytes = 1
    #expect(read(Frame(0x00, "")) == .more)
    #expect(read(Frame(0x80, "e")) == .fault(.tooLarge) && text == Array("abcd".utf8))
  }

  @Test func `control frames count for no message`() {
    let bytes = [Frame(0x01, "a"), Frame(0x89, "12345"), Frame(0x80, "b")].bytes(to: .server)
    #expect(Reading(bytes, .server, limitBytes: 2).events == [.ping(Array("12345".utf8)), .text("ab")])
  }

  @Test func `faults are told with the code that RFC 6455 has for them`() {
    for fault in WebSocketFault.allCases {
      let code: WebSocketCloseCode =
        switch fault {
        case .notText, .closeReason: .invalidText
        case .binary: .unsupportedData
        case .tooLarge: .tooLarge
        default: .protocolError
        }
      #expect(fault.code == code)
      #expect(!fault.reason.isEmpty && fault.reason.utf8.count <= WebSocketWriter.reasonLimitBytes)
    }
  }

  @Test func `an idle reader is small`() {
    #expect(MemoryLayout<WebSocketReader>.stride <= 48)
  }
}
