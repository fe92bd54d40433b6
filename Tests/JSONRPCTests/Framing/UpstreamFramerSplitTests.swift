import HotData
import JSONRPC
import Testing

/// However a pipe cuts what an upstream writes, the same messages come out, and as many lines of noise.
@Suite struct UpstreamFramerSplitTests {
  struct Stream: Sendable {
    var framing: Framing
    var text: String
    var messages: [Framed]
    var noiseCount: Int

    var bytes: [UInt8] { Array(text.utf8) }

    func isFramedRightly(cutAt cuts: [Int]) -> Bool {
      let framer = FedMessages(UpstreamFramer(limitBytes: 12, framing: framing, toleratesNoise: true))
      return framer.feed(bytes, cutAt: cuts) == messages && framer.noiseCount == noiseCount
    }
  }

  static let streams = [
    Stream(
      framing: .lines,
      text:
        "\u{FEFF} hello\r\n{\"a\":1}\r\n\n \t\n  [\"é\"] \n\u{FEFF}{}\n{thirteen b}}\nx{}\n{twelve by}\r\n{",
      messages: [.message("{\"a\":1}"), .message("[\"é\"] "), .tooLong, .message("{twelve by}")],
      noiseCount: 3),
    Stream(
      framing: .contentLength,
      text: "Loading: C\nContent-Length: 7\r\n\r\n{\"a\":1}\n~content-length:0\r\n\r\nContent-Type: x\r\n"
        + "Content-Length: 3\r\nContent-LENGTH: \t12 \r\nX: y\r\n\r\ntwelve\r\n\r\n!!Content-Length: 13\r\n\r\n"
        + "is a too longContent-Length: 4\n\r\n\r\nConContent-Length: 4\r\n\r\n\"é\"nothing",
      messages: [
        .message("{\"a\":1}"), .message(""), .message("twelve\r\n\r\n!!"), .tooLong, .message("\"é\""),
      ],
      noiseCount: 5),
  ]

  @Test(arguments: streams)
  func `in one, two and three pieces, wherever they are cut`(stream: Stream) {
    for first in 0...stream.bytes.count {
      for second in first...stream.bytes.count where !stream.isFramedRightly(cutAt: [first, second]) {
        Issue.record("cut at \(first) and \(second)")
      }
    }
  }

  @Test(arguments: streams)
  func `byte by byte`(stream: Stream) {
    #expect(stream.isFramedRightly(cutAt: Array(1..<stream.bytes.count)))
  }

  @Test(arguments: streams, 1...100 as ClosedRange<UInt64>)
  func `in random pieces`(stream: Stream, seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let cuts = (0..<Int.random(in: 1...30, using: &random)).map { _ in
      Int.random(in: 0...stream.bytes.count, using: &random)
    }
    #expect(stream.isFramedRightly(cutAt: cuts.sorted()))
  }
}
