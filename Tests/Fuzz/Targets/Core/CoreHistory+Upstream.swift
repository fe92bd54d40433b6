import GatewayCore
import JSONRPC

/// What upstream does and hears, and the passing of time.
extension CoreHistory {
  mutating func passTime(_ milliseconds: UInt64) {
    core.timeAdvanced(to: core.nowMilliseconds + milliseconds)
  }

  mutating func findUpstream() {
    guard !isConnected, sink.wantsConnection else { return }
    sink.wantsConnection = false
    isConnected = true
    core.upstreamConnected(Self.upstream)
  }

  mutating func loseUpstream() {
    guard isConnected || sink.wantsConnection else { return }
    sink.wantsConnection = false
    core.upstreamDisconnected(Self.upstream)
    forgetUpstream()
  }

  /// Nothing of a connection outlives it.
  mutating func forgetUpstream() {
    isConnected = false
    atUpstream = []
    sink.toUpstream = []
    upstreamLines = LinesOnly(LineFramer(limitBytes: .max))
  }

  mutating func answer() {
    guard isConnected, !atUpstream.isEmpty else { return }
    let id = atUpstream.remove(at: choices.number(below: atUpstream.count))
    let isError = choices.byte() & 7 == 7
    let body = isError ? #""error":{"code":1,"message":"e"}"# : "\"result\":[\r\(id)]"
    upstreamSends(Array(#"{"jsonrpc":"2.0","id":\#(id),\#(body)}"#.utf8) + [0x0A])
  }

  /// Some of an answer, be it wanted or not.
  mutating func givePiece() {
    guard isConnected, !atUpstream.isEmpty else { return }
    let id = choices.one(of: atUpstream)
    let piece = #"{"jsonrpc":"2.0","method":"lastword.piece","params":{"id":\#(id),"value":[\#u{0d}\#(id)]}}"#
    let report = #"{"jsonrpc":"2.0","method":"$/progress","params":{"token":"\#(id)w","value":1}}"#
    upstreamSends(Array((choices.byte() & 3 == 3 ? report : piece).utf8) + [0x0A])
  }

  mutating func answerWildBytes() {
    guard isConnected else { return }
    upstreamSends(choices.bytes())
  }

  private mutating func upstreamSends(_ bytes: [UInt8]) {
    let padded = bytes + [UInt8](repeating: 0x22, count: JSONText.slackByteCount)
    core.upstreamReceived(padded.span, count: bytes.count, from: Self.upstream)
  }

  mutating func hearUpstream() throws(Violation) {
    let chunk = sink.toUpstream
    sink.toUpstream = []
    var frames: [Framed] = []
    try upstreamLines.read(chunk, into: &frames)
    for case .message(let line) in frames { try hearUpstream(line) }
  }

  private mutating func hearUpstream(_ line: [UInt8]) throws(Violation) {
    let text = PaddedText(line)
    var envelope = Envelope()
    try require(
      text.scan(into: &envelope) == .message && !envelope.isResponse && !line.contains(0x0D),
      "upstream hears what is no line with a request: \(String(decoding: line, as: UTF8.self))")
    let id = JSONNumber.nonNegativeInteger(envelope.id, in: text.bytes.span).flatMap(Int.init(exactly:))
    if let id { atUpstream.append(id) }
  }
}
