import HTTP1
import WebSocket

/// A stream of frames, read in one piece, byte by byte and in uneven pieces: always the same must come out.
///
/// The input's first byte chooses the pieces, its second which end reads and how much it takes; the rest is the stream.
struct WebSocketStream {
  private let stream: [UInt8]
  private let pieces: [Range<Int>]
  private let end: WebSocketEnd
  private let limitBytes: Int
  private let isHandshake: Bool

  init(_ input: [UInt8]) {
    let stream = Array(input.dropFirst(2))
    let choice = input.dropFirst().first ?? 0
    self.stream = stream
    pieces = UnevenPieces.of(stream, chosenBy: input.first ?? 0)
    end = choice & 1 == 0 ? .server : .client
    limitBytes = choice & 2 == 0 ? 1024 : 16
    isHandshake = choice & 4 != 0
  }

  func check() throws(Violation) {
    if isHandshake { return try checkHandshakes() }
    let whole = FrameReading(stream, end, limitBytes, in: [stream.indices])
    let cut = FrameReading(stream, end, limitBytes, in: pieces)
    try require(whole == cut, "it matters where it is cut")
    let single = FrameReading(stream, end, limitBytes, in: stream.indices.map { $0..<$0 + 1 })
    try require(whole == single, "bytes are read otherwise")
    try require(whole.isWithinLimits(limitBytes), "something is larger than it may be")
    try require(!whole.isStuck && !cut.isStuck && !single.isStuck, "it does not get on")
    try checkWritten(whole)
  }

  /// What was read and is written again is read as the same.
  private func checkWritten(_ reading: FrameReading) throws(Violation) {
    let mask = end == .server ? WebSocketMask(bits: 0xA1B2_C3D4) : nil
    var bytes: [UInt8] = []
    var events: [FrameReading.Event] = []
    for event in reading.events {
      switch event {
      case .text(let text):
        try require(String(validating: text, as: UTF8.self) != nil, "a text is none")
        WebSocketWriter.text(text.span, mask: mask, into: &bytes)
      case .ping(let content): WebSocketWriter.ping(content.span, mask: mask, into: &bytes)
      case .pong(let content): WebSocketWriter.pong(content.span, mask: mask, into: &bytes)
      case .close(let code, let reason):
        try require(code == code.flatMap { WebSocketCloseCode($0.number) }, "a code must not be sent")
        WebSocketWriter.close(code, reason: reason, mask: mask, into: &bytes)
      case .fault: continue
      }
      events.append(event)
    }
    let again = FrameReading(bytes, end, limitBytes, in: [bytes.indices])
    try require(again.events == events && again.rest.isEmpty, "it is not read as it was written")
  }

  /// The stream as requests and as a response: whatever they say, one answer holds of them.
  private func checkHandshakes() throws(Violation) {
    let sha1 = { (bytes: [UInt8]) -> [UInt8]? in [UInt8](repeating: UInt8(bytes.count & 0xFF), count: 20) }
    var requests = HTTPRequestReader(methods: ["GET", "POST"])
    var offset = 0
    // Each head has at least one byte.
    for _ in stream.indices {
      guard case .head(let head) = requests.next(in: stream.span, count: stream.count, from: &offset)
      else { break }
      switch WebSocketHandshake.answer(to: head, sha1: sha1) {
      case .notAsked: break
      case .accepted(let subprotocol, let fields):
        let isUpgrade = head.method == "GET" && head.framing == .none && !head.isVersion0
        try require(isUpgrade, "what is no upgrade was accepted")
        let choices = fields.filter { $0.0 == "Sec-WebSocket-Protocol" }.map(\.1)
        try require(choices == (subprotocol.map { [$0] } ?? []), "another subprotocol is told")
      case .refused(let fault, _):
        try require(fault.status.rawValue >= 400 && !fault.reason.isEmpty, "a refusal is none")
      }
    }
    var responses = HTTPResponseReader()
    offset = 0
    guard case .head(let head) = responses.next(in: stream.span, count: stream.count, from: &offset)
    else { return }
    let nonce = [UInt8](repeating: 7, count: 16)
    let fault = WebSocketHandshake.fault(in: head, nonce: nonce, offered: "lastword.1", sha1: sha1)
    try require(head.status == 101 || fault != nil, "another response was taken for an upgrade")
  }
}

/// What one reader made of a stream.
private struct FrameReading: Equatable {
  enum Event: Equatable {
    case text([UInt8])
    case ping([UInt8])
    case pong([UInt8])
    case close(WebSocketCloseCode?, String)
    case fault(WebSocketFault)
  }

  private(set) var events: [Event] = []
  /// What has come of a message that has not ended.
  private(set) var rest: [UInt8] = []
  private(set) var isStuck = false

  init(_ stream: [UInt8], _ end: WebSocketEnd, _ limitBytes: Int, in pieces: [Range<Int>]) {
    var reader = WebSocketReader(end, limitBytes: limitBytes)
    for piece in pieces where read(Array(stream[piece]), &reader) { break }
  }

  func isWithinLimits(_ limitBytes: Int) -> Bool {
    rest.count <= limitBytes
      && events.allSatisfy { event in
        switch event {
        case .text(let text): text.count <= limitBytes
        case .ping(let content), .pong(let content): content.count <= 125
        case .close(_, let reason): reason.utf8.count <= WebSocketWriter.reasonLimitBytes
        case .fault: true
        }
      }
  }

  /// Returns whether nothing more can come.
  private mutating func read(_ bytes: [UInt8], _ reader: inout WebSocketReader) -> Bool {
    var offset = 0
    // Each step reads something, but for the last.
    for _ in 0...bytes.count + 1 {
      switch reader.next(in: bytes.span, count: bytes.count, from: &offset, into: &rest) {
      case .more:
        isStuck = offset != bytes.count
        return false
      case .text(isEnd: false): continue
      case .text(isEnd: true):
        events.append(.text(rest))
        rest = []
      case .ping(let content): events.append(.ping(content))
      case .pong(let content): events.append(.pong(content))
      case .close(let code, let reason):
        events.append(.close(code, reason))
        rest = []
        return true
      case .fault(let fault):
        events.append(.fault(fault))
        rest = []
        return true
      }
    }
    isStuck = true
    return true
  }
}
