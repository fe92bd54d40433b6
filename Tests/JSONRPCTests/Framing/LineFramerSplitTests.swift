import HotData
import JSONRPC
import Testing

/// However the network cuts a stream, the same lines come out.
@Suite struct LineFramerSplitTests {
  private static let limitBytes = 24

  private static let stream = Array(
    [
      "\u{FEFF}{\"first\":1}\n", "\n", " \t\r\n", "[2]\r\n", "\r\n", "{\"é\":\"€𝄞\"}\n", "\u{FEFF}3\n",
      "exactly twenty-four byte\r\n", "this one has one too many\n",
      "far, far, far, far too long for anybody\r\n", "a\rb\r\r\n", "{}\n", "  \n", "4\n", "rest",
    ].joined().utf8)

  private static let lines: [FramedLine] = [
    .line("{\"first\":1}"), .line("[2]"), .line("{\"é\":\"€𝄞\"}"), .line("\u{FEFF}3"),
    .line("exactly twenty-four byte"), .tooLong, .tooLong, .line("a\rb\r"), .line("{}"), .line("4"),
  ]

  /// Cuts the stream before each of `cuts` and gives all lines and the bytes left over.
  private func lines(cutAt cuts: [Int]) -> (lines: [FramedLine], pending: Int) {
    let framer = FedFramer(limitBytes: Self.limitBytes)
    let edges = [0] + cuts + [Self.stream.count]
    let lines = zip(edges, edges.dropFirst()).flatMap { framer.feed(Array(Self.stream[$0..<$1])) }
    return (lines, framer.pendingByteCount)
  }

  @Test func `in one piece`() {
    #expect(lines(cutAt: []) == (Self.lines, 4))
  }

  @Test func `in two pieces, wherever it is cut`() {
    for cut in 0...Self.stream.count { #expect(lines(cutAt: [cut]) == (Self.lines, 4)) }
  }

  @Test func `in three pieces, wherever it is cut`() {
    for first in 0...Self.stream.count {
      for second in first...Self.stream.count {
        guard lines(cutAt: [first, second]) != (Self.lines, 4) else { continue }
        Issue.record("cut at \(first) and \(second)")
      }
    }
  }

  @Test func `byte by byte`() {
    #expect(lines(cutAt: Array(1..<Self.stream.count)) == (Self.lines, 4))
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `in random pieces`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let cuts = (0..<Int.random(in: 1...30, using: &random)).map { _ in
      Int.random(in: 0...Self.stream.count, using: &random)
    }
    #expect(lines(cutAt: cuts.sorted()) == (Self.lines, 4))
  }
}
