import JSONRPC
import Testing

@Suite struct LineFramerTests {
  @Test func `lines that lie whole in the chunk are given in place`() {
    let framer = FedFramer()
    let chunk = Array("{}\n[1]\r\n{".utf8)
    var offset = 0
    let frames = (0..<3).map { _ in framer.next(in: chunk, count: chunk.count, from: &offset) }
    #expect(frames == [.inPlace(0..<2), .inPlace(3..<6), .incomplete])
    #expect(offset == chunk.count && framer.isMidLine && framer.pendingByteCount == 1)
  }

  @Test func `a line that spans chunks is assembled with slack after it`() {
    let framer = FedFramer()
    #expect(framer.feed("{\"a\"") == [])
    #expect(framer.feed(":") == [])
    let chunk = Array("1}\n".utf8)
    var offset = 0
    #expect(framer.next(in: chunk, count: chunk.count, from: &offset) == .assembled)
    let line = framer.takeText()
    #expect(line.text == #"{"a":1}"# && line.slackByteCount == JSONText.slackByteCount)
    #expect(!framer.isMidLine && framer.pendingByteCount == 0)
  }

  @Test func `lines are given as bytes of their own, however they are cut`() {
    let text = Array("{}\r\n\n[1]\n12345\nx\nrest".utf8)
    for cut in 1...text.count {
      var framer = LineFramer(limitBytes: 4)
      var lines: [String] = []
      for start in stride(from: 0, to: text.count, by: cut) {
        let bytes = Array(text[start..<min(start + cut, text.count)])
        var offset = 0
        while let line = framer.nextLine(in: bytes, from: &offset) {
          lines.append(String(decoding: line, as: UTF8.self))
        }
        #expect(offset == bytes.count)
      }
      #expect(lines == ["{}", "[1]", "x"] && framer.pendingByteCount == 4, "\(cut)")
    }
  }

  @Test func `bytes after the count are not looked at`() {
    let framer = FedFramer()
    let chunk = Array("{}\n\n\n".utf8)
    var offset = 0
    #expect(framer.next(in: chunk, count: 2, from: &offset) == .incomplete)
    #expect(offset == 2 && framer.pendingByteCount == 2)
  }

  @Test func `blank lines are skipped, in place and across chunks`() {
    let framer = FedFramer()
    #expect(framer.feed("\n\r\n \t\r\n  \n{}\n\n") == [.line("{}")])
    #expect(framer.feed(" ") == [] && framer.isMidLine)
    #expect(framer.feed("\t\r") == [])
    #expect(framer.feed("\n") == [] && !framer.isMidLine)
    #expect(framer.feed("1\n") == [.line("1")])
  }

  @Test func `only the CR of the line end goes`() {
    let framer = FedFramer()
    #expect(framer.feed(" a\rb \r\r\nc") == [.line(" a\rb \r")])
    #expect(framer.feed("\r") == [])
    #expect(framer.feed("\n") == [.line("c")])
  }

  @Test func `a byte order mark goes at the very start of the stream only`() {
    let framer = FedFramer()
    #expect(framer.feed("\u{FEFF}{}\n\u{FEFF}{}\n") == [.line("{}"), .line("\u{FEFF}{}")])
    let blank = FedFramer()
    #expect(blank.feed("\u{FEFF}\n\u{FEFF}1\n") == [.line("\u{FEFF}1")])
    let empty = FedFramer()
    #expect(empty.feed("\n\u{FEFF}1\n") == [.line("\u{FEFF}1")])
  }

  @Test func `a line of the limit passes and one more byte is too long`() {
    for end in ["\n", "\r\n"] {
      let framer = FedFramer(limitBytes: 8)
      let lines = framer.feed("12345678" + end + "123456789" + end + "1" + end)
      #expect(lines == [.line("12345678"), .tooLong, .line("1")])
      let marked = FedFramer(limitBytes: 8)
      #expect(marked.feed("\u{FEFF}12345678" + end) == [.line("12345678")])
    }
  }

  @Test func `a line is too long as soon as the limit is passed, and that is said once`() {
    let framer = FedFramer(limitBytes: 8)
    #expect(framer.feed("12345678") == [])
    #expect(framer.feed("9") == [.tooLong])
    #expect(framer.isMidLine && framer.pendingByteCount == 0)
    for _ in 0..<1000 { #expect(framer.feed("more and more") == []) }
    #expect(framer.pendingByteCount == 0)
    #expect(framer.feed("end\n{}\n") == [.line("{}")])
    #expect(!framer.isMidLine)
  }

  @Test func `a CR at the limit may still belong to the line end`() {
    let framer = FedFramer(limitBytes: 8)
    #expect(framer.feed("12345678\r") == [])
    #expect(framer.feed("\n") == [.line("12345678")])
    #expect(framer.feed("12345678\r") == [])
    #expect(framer.feed("9\n1\n") == [.tooLong, .line("1")])
  }

  @Test func `a returned buffer serves the next line, unless it is large`() {
    let framer = FedFramer(limitBytes: 1 << 20)
    #expect(framer.feed("12") == [])
    #expect(framer.feed("34\n") == [.line("1234")])
    #expect(framer.feed("ab") == [] && framer.pendingByteCount == 2)
    #expect(framer.feed("cd\n") == [.line("abcd")])
    let large = String(repeating: "x", count: AssembledMessage.recycledCapacityLimitBytes + 1)
    #expect(framer.feed(large) == [])
    #expect(framer.feed("\n5\n") == [.line(large), .line("5")])
    #expect(framer.pendingByteCount == 0 && !framer.isMidLine)
  }
}
