import JSONRPC
import Testing

@Suite struct UpstreamFramerTests {
  private static let megabyte = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)

  private func framer(
    _ framing: Framing, limitBytes: Int = 100, toleratesNoise: Bool = true
  ) -> FedMessages<UpstreamFramer> {
    FedMessages(UpstreamFramer(limitBytes: limitBytes, framing: framing, toleratesNoise: toleratesNoise))
  }

  private func frame(_ body: String) -> String { "Content-Length: \(body.utf8.count)\r\n\r\n\(body)" }

  // MARK: lines

  @Test func `lines that begin with no brace or bracket are skipped and counted`() {
    let framer = framer(.lines)
    let stream = "loading...\n{\"a\":1}\r\n12 files {}\r\n[1]\n\n \t\r\n  \"text\"\n  {} \n\u{0}\nDone"
    #expect(framer.feed(stream) == ["{\"a\":1}", "[1]", "{} "].map(Framed.message))
    #expect(framer.noiseCount == 4)
    #expect(framer.feed("!\n{}\n") == [.message("{}")])
    #expect(framer.noiseCount == 5)
  }

  @Test func `a line that begins with a brace and is no JSON is no noise`() {
    let framer = framer(.lines)
    #expect(framer.feed("{ready}\n") == [.message("{ready}")])
    #expect(framer.noiseCount == 0)
  }

  @Test func `nothing is kept of noise and of blanks`() {
    let framer = framer(.lines)
    for _ in 0..<64 { #expect(framer.feed(Self.megabyte) == []) }
    #expect(framer.pendingByteCount == 0 && !framer.isMidMessage)
    #expect(framer.feed("\n" + String(repeating: " ", count: 1000)) == [])
    #expect(framer.pendingByteCount == 0 && !framer.isMidMessage)
    #expect(framer.feed("{}\n") == [.message("{}")])
    #expect(framer.noiseCount == 1)
  }

  @Test func `noise behind a message that is too long is still noise`() {
    let framer = framer(.lines, limitBytes: 4)
    #expect(framer.feed("{12345") == [.tooLong])
    #expect(framer.feed("67\nnoise\n{}\n[12345]\nnoise\n") == [.message("{}"), .tooLong])
    #expect(framer.noiseCount == 2)
  }

  @Test func `a byte order mark before the first line is none, and a part of one is noise`() {
    #expect(framer(.lines).feed("\u{FEFF}{}\n") == [.message("{}")])
    for noise in [[0xEF], [0xEF, 0xBB], [0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF]] as [[UInt8]] {
      let framer = framer(.lines)
      #expect(framer.feed(noise + Array("{}\n[]\n".utf8)) == [.message("[]")])
      #expect(framer.noiseCount == 1)
    }
    #expect(framer(.lines).feed([0xEF, 0x0A] + Array("{}\n".utf8)) == [.message("{}")])
    #expect(framer(.lines).feed("\n\u{FEFF}{}\n[]\n") == [.message("[]")])
  }

  @Test func `without tolerance lines are those of the line framer`() {
    let stream = "\u{FEFF}loading...\r\n  {}\n\n[123456789]\n"
    let framer = framer(.lines, limitBytes: 10, toleratesNoise: false)
    #expect(framer.feed(stream) == [.message("loading..."), .message("  {}"), .tooLong])
    #expect(framer.noiseCount == 0)
  }

  // MARK: bodies

  @Test(arguments: [
    "Starting...\n", "Starting...", "Connecting to db\n", "Cache: hit\n", "Cache: hit\r\n",
    "Content-Length: twelve\r\n", "Content-Length: 12\n", "Content-Length: 12\r\nand more\r\n",
    "Content-Length: ", "Content-Length: 1", "Content-Length: 1\r\n", "content-length: Content-Length: x",
    "X-Content-Length: 9\r\n", "CoCoContent-", "{\"no\":\"header\"}\n", "\u{0}", "Content-Length: \u{FF}\n",
    "Content-Length: 9223372036854775808\r\n", ":", "Côntent-Length: 2\r\n\r\n",
  ])
  func `other text before a header is noise`(text: String) {
    let framer = framer(.contentLength)
    #expect(framer.feed(text + frame("{}") + text + frame("[1]")) == [.message("{}"), .message("[1]")])
    #expect(framer.noiseCount == 2)
  }

  @Test func `every line of noise counts, and blank lines do not`() {
    let framer = framer(.contentLength)
    #expect(framer.feed("one\r\ntwo\n\r\n \n\nthree" + frame("{}") + "\r\n" + frame("[]")).count == 2)
    #expect(framer.noiseCount == 3)
    #expect(framer.feed("fo") == [] && framer.feed("ur") == [])
    #expect(framer.noiseCount == 3)
    #expect(framer.feed("\n") == [])
    #expect(framer.noiseCount == 4)
  }

  @Test func `other fields of a header are no noise`() {
    let framer = framer(.contentLength)
    let type = "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n"
    #expect(framer.feed(type + frame("{}")) == [.message("{}")])
    #expect(framer.feed("Content-Length:2\r\n" + type + "\r\n[]") == [.message("[]")])
    #expect(framer.feed("CONTENT-LENGTH: 0\r\nX: y\r\n\r\n" + frame("{}")) == [.message(""), .message("{}")])
    #expect(framer.noiseCount == 0)
  }

  @Test func `of two lengths the second one's header counts`() {
    let framer = framer(.contentLength)
    #expect(framer.feed("Content-Length: 7\r\n" + frame("{}") + frame("[]")).count == 2)
    #expect(framer.noiseCount == 1)
  }

  @Test func `a header that grows over its limit is noise`() {
    let framer = framer(.contentLength)
    let field = "X: " + String(repeating: "y", count: WireLimits.headerBytes) + "\r\n"
    #expect(framer.feed("Content-Length: 2\r\n" + field + "\r\n" + frame("{}")) == [.message("{}")])
    #expect(framer.noiseCount == 1)
  }

  @Test func `nothing is kept of noise between bodies`() {
    let framer = framer(.contentLength)
    for _ in 0..<8 { #expect(framer.feed(Self.megabyte) == []) }
    #expect(framer.pendingByteCount == 0 && !framer.isMidMessage)
    #expect(framer.feed(frame("{}")) == [.message("{}")])
  }

  @Test func `it is in the middle of a message from the length's name on`() {
    let framer = framer(.contentLength)
    #expect(framer.feed("noise Content-Length") == [] && !framer.isMidMessage)
    #expect(framer.feed(":") == [] && framer.isMidMessage)
    #expect(framer.feed(" 2\r\n\r\n{") == [] && framer.isMidMessage)
    #expect(framer.feed("}") == [.message("{}")] && !framer.isMidMessage)
  }

  @Test func `a body over the limit is skipped, whatever it holds`() {
    let framer = framer(.contentLength, limitBytes: 4)
    #expect(framer.feed(frame(frame("{}")) + frame("[]")) == [.tooLong, .message("[]")])
    #expect(framer.noiseCount == 0)
  }

  @Test func `without tolerance a wrong header ends it`() {
    let framer = framer(.contentLength, toleratesNoise: false)
    #expect(framer.feed(frame("{}") + "noise" + frame("{}")) == [.message("{}"), .badHeader])
    #expect(framer.noiseCount == 0)
  }

  // MARK: what is too long

  @Test(arguments: Framing.allCases, [10, 4_096, 5_000])
  func `of what is too long the beginning is kept, however it comes`(framing: Framing, limitBytes: Int) {
    let text = "{" + String(repeating: "0123456789", count: 1_000) + "}"
    let stream = framing == .lines ? text + "\n{}\n" : frame(text) + frame("{}")
    for pieceBytes in [1, 9, 4_095, 4_096, 4_097, 20_000] {
      let framer = framer(framing, limitBytes: limitBytes)
      let cuts = Array(Swift.stride(from: pieceBytes, to: stream.utf8.count, by: pieceBytes))
      #expect(framer.feed(Array(stream.utf8), cutAt: cuts) == [.tooLong, .message("{}")])
      #expect(framer.heads == [String(text.prefix(min(limitBytes, 4_096)))])
      #expect(framer.pendingByteCount == 0)
    }
  }

  @Test(arguments: [10, 80]) func `a new bound is for what comes from now on`(limitBytes: Int) {
    var framer = UpstreamFramer(limitBytes: 50, framing: .contentLength, toleratesNoise: false)
    func feed(_ text: String) -> MessageFrame {
      let chunk = Array(text.utf8)
      var offset = 0
      return framer.next(in: chunk.span, count: chunk.count, from: &offset)
    }
    // Of a body over the old bound the beginning is kept as it was begun.
    #expect(feed("Content-Length: 90\r\n\r\n" + String(repeating: "a", count: 30)) == .incomplete)
    framer.keep(limitBytes: limitBytes)
    #expect(feed(String(repeating: "b", count: 60)) == .tooLong)
    #expect(framer.takeHead().count == 50)
    let body = String(repeating: "c", count: 60)
    let isWithin = limitBytes >= body.utf8.count
    #expect((feed("Content-Length: 60\r\n\r\n" + body) == .tooLong) == !isWithin)
  }
}
