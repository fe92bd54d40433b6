import HotData
import JSONRPC
import Testing

/// However the network cuts a stream, the same messages come out.
@Suite struct MessageFramerSplitTests {
  struct Stream: Sendable {
    var bytes: [UInt8]
    var messages: [Framed]

    func framed(cutAt cuts: [Int]) -> [Framed] {
      FedMessages(MessageFramer(limitBytes: 12)).feed(bytes, cutAt: cuts)
    }
  }

  static let streams = [
    Stream(
      bytes: Array(
        ("\u{FEFF} \r\nContent-Length: 7\r\n\r\n{\"a\":1}content-length:0\r\n\r\nContent-Type: x\r\n"
          + "CONTENT-LENGTH: 12\r\n\r\ntwelve\r\n\r\n!!Content-Length: 13\r\n\r\nis a too long"
          + "Content-Length: 4\r\n\r\n\"é\"Content-Length: 1\n\r\n\r\n1").utf8),
      messages: [
        .message("{\"a\":1}"), .message(""), .message("twelve\r\n\r\n!!"), .tooLong, .message("\"é\""),
        .badHeader,
      ]),
    Stream(
      bytes: Array("\r\n {\"a\":1}\r\n\n \t\n\u{FEFF}1\ntwelve bytes\r\nthirteen byte\n[]\nrest".utf8),
      messages: [
        .message("{\"a\":1}"), .message("\u{FEFF}1"), .message("twelve bytes"), .tooLong, .message("[]"),
      ]),
  ]

  @Test(arguments: streams)
  func `in one, two and three pieces, wherever they are cut`(stream: Stream) {
    for first in 0...stream.bytes.count {
      for second in first...stream.bytes.count {
        guard stream.framed(cutAt: [first, second]) != stream.messages else { continue }
        Issue.record("cut at \(first) and \(second)")
      }
    }
  }

  @Test(arguments: streams)
  func `byte by byte`(stream: Stream) {
    #expect(stream.framed(cutAt: Array(1..<stream.bytes.count)) == stream.messages)
  }

  @Test(arguments: streams, 1...100 as ClosedRange<UInt64>)
  func `in random pieces`(stream: Stream, seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let cuts = (0..<Int.random(in: 1...30, using: &random)).map { _ in
      Int.random(in: 0...stream.bytes.count, using: &random)
    }
    #expect(stream.framed(cutAt: cuts.sorted()) == stream.messages)
  }
}
