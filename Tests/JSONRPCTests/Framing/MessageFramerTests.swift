import JSONRPC
import Testing

@Suite struct MessageFramerTests {
  private func framer(limitBytes: Int = 100) -> FedMessages<MessageFramer> {
    FedMessages(MessageFramer(limitBytes: limitBytes))
  }

  private func frame(_ body: String) -> String { "Content-Length: \(body.utf8.count)\r\n\r\n\(body)" }

  @Test func `a stream that begins with a C has headers, whatever its case`() {
    for header in ["Content-Length: 2\r\n\r\n", "content-length: 2\r\n\r\n"] {
      let framer = framer()
      #expect(framer.feed(header + "{}" + frame("1\n")) == [.message("{}"), .message("1\n")])
      #expect(framer.framing == .contentLength)
    }
  }

  @Test func `every other stream has lines`() {
    let framer = framer()
    #expect(
      framer.feed("{}\n[1]\r\nContent-Length: 2\n") == ["{}", "[1]", "Content-Length: 2"].map(Framed.message))
    #expect(framer.framing == .lines)
    let http = self.framer()
    #expect(http.feed("GET / HTTP/1.1\r\nHost: x\r\n") == [.message("GET / HTTP/1.1"), .message("Host: x")])
    let tls = self.framer()
    #expect(tls.feed([0x16, 0x03, 0x01, 0x0A]).count == 1 && tls.framing == .lines)
  }

  @Test func `where no headers are served, what looks like one is a line`() {
    for space in ["", "\n", " \r\n", "\u{FEFF}"] {
      let framer = FedMessages(MessageFramer(limitBytes: 100, knowsHeaders: false))
      #expect(framer.feed(space + frame("{}") + "\n") == [.message("Content-Length: 2"), .message("{}")])
      #expect(framer.framing == .lines)
    }
  }

  @Test func `white space before the first message says nothing`() {
    for space in ["\n", " \t", "\r\n\r\n"] {
      #expect(framer().feed(space + frame("{}")) == [.message("{}")])
      #expect(framer().feed(space + "{}\n") == [.message("{}")])
    }
    let framer = framer()
    #expect(framer.feed(" \n\t\r") == [] && framer.framing == nil && !framer.isMidMessage)
    #expect(framer.feed(frame("{}")) == [.message("{}")])
  }

  @Test func `a byte order mark at the stream's start is skipped, before either framing`() {
    #expect(framer().feed("\u{FEFF}{}\n{}\n") == [.message("{}"), .message("{}")])
    #expect(framer().feed("\u{FEFF}" + frame("{}")) == [.message("{}")])
    #expect(framer().feed("\u{FEFF}\n{}\n") == [.message("{}")])
    let framer = framer()
    #expect(framer.feed("\u{FEFF}") == [] && framer.framing == nil && !framer.isMidMessage)
  }

  @Test func `a byte order mark elsewhere is part of its message`() {
    #expect(framer().feed("\n\u{FEFF}{}\n") == [.message("\u{FEFF}{}")])
    #expect(framer().feed("\u{FEFF}\u{FEFF}{}\n") == [.message("\u{FEFF}{}")])
    #expect(framer().feed("{}\n\u{FEFF}{}\n") == [.message("{}"), .message("\u{FEFF}{}")])
    #expect(framer().feed("\u{FEFF}\n\u{FEFF}{}\n") == [.message("\u{FEFF}{}")])
  }

  @Test func `what only begins like a byte order mark is the beginning of a line`() {
    let garbage: [[UInt8]] = [
      [0xEF, 0x43], [0xEF, 0xBB, 0x7B, 0x7D], [0xEF, 0xEF, 0xBB, 0xBF], [0xEF, 0xBB],
    ]
    for line in garbage {
      let text = Framed.message(String(decoding: line, as: UTF8.self))
      for cut in 0...line.count {
        #expect(framer().feed(line + Array("\n1\n".utf8), cutAt: [cut]) == [text, .message("1")])
      }
    }
  }

  @Test func `it is in the middle of a message from its first byte on`() {
    for (begun, rest) in [
      ("{", "}\n"), ("c", "ontent-length: 2\r\n\r\n{}"), ("Content-Length: 2\r\n\r\n{", "}"),
    ] {
      let framer = framer()
      #expect(framer.feed(begun) == [] && framer.isMidMessage && framer.framing != nil)
      #expect(framer.feed(rest) == [.message("{}")] && !framer.isMidMessage)
      #expect(framer.pendingByteCount == 0)
    }
  }

  @Test func `the limit and wrong headers are said as by the framer that is at work`() {
    #expect(framer(limitBytes: 2).feed("{}\n123\n{}\n") == [.message("{}"), .tooLong, .message("{}")])
    let bodies = frame("{}") + frame("123") + frame("{}") + "Content-Length: x"
    #expect(framer(limitBytes: 2).feed(bodies) == [.message("{}"), .tooLong, .message("{}"), .badHeader])
    #expect(framer().feed("CONNECT localhost:1 HTTP/1.1\r\n\r\n") == [.badHeader])
  }

  @Test func `a stream of lines is framed as by the line framer`() {
    let stream = "{\"a\":1}\r\n\n  \n[1,2] \n123456789\n\"é\"\n"
    let lines = FedFramer(limitBytes: 8).feed(stream).map { line -> Framed in
      switch line {
      case .line(let text): .message(text)
      case .tooLong: .tooLong
      }
    }
    #expect(lines.count == 4 && framer(limitBytes: 8).feed(stream) == lines)
  }
}
