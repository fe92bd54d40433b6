import JSONRPC

/// What the framers have in common.
protocol AnyFramer: ~Copyable {
  var pendingByteCount: Int { get }
  /// What was no message, as far as that is counted.
  var noiseCount: Int { get }
  mutating func next(in chunk: Span<UInt8>, count: Int, from offset: inout Int) -> MessageFrame
  mutating func takeAssembled() -> AssembledMessage
  mutating func recycle(_ message: consuming AssembledMessage)
  mutating func takeHead() -> [UInt8]
  mutating func check(from byteCount: Int, nestingLevels: Int)
}

extension AnyFramer where Self: ~Copyable {
  var noiseCount: Int { 0 }
  mutating func takeHead() -> [UInt8] { [] }

  /// Messages that come in parts are checked meanwhile once they have a few bytes.
  mutating func read(_ chunk: [UInt8], into frames: inout [Framed]) throws(Violation) {
    var offset = 0
    while true {
      let frame = next(in: chunk.span, count: chunk.count, from: &offset)
      if frame == .incomplete || frame == .assembled {
        check(from: 10, nestingLevels: WireLimits.nestingLevels)
      }
      switch frame {
      case .incomplete: return
      case .inPlace(let range): frames.append(.message(Array(chunk[range])))
      case .assembled: frames.append(.message(try assembled()))
      case .tooLong: frames.append(.tooLong(takeHead()))
      case .badHeader: frames.append(.badHeader)
      }
    }
  }

  private mutating func assembled() throws(Violation) -> [UInt8] {
    let message = takeAssembled()
    let (range, verdict) = (message.range, message.verdict)
    let bytes = message.withSpan { span in range.map { span[$0] } }
    recycle(message)
    try require(
      verdict == nil || verdict == Self.verdict(on: bytes), "checked in parts, it is judged otherwise")
    return bytes
  }

  private static func verdict(on text: [UInt8]) -> JSONCheck.Verdict {
    switch PaddedText(text).scan() {
    case .malformed(let offset): .malformed(offset: offset - PaddedText.lead)
    case .tooDeep(let offset): .tooDeep(offset: offset - PaddedText.lead)
    case .message, .batch, .invalid: .json
    }
  }
}

extension ContentLengthFramer: AnyFramer {}
extension MessageFramer: AnyFramer {}
extension UpstreamFramer: AnyFramer {}

/// A line framer that says what the others say.
struct LinesOnly: AnyFramer, ~Copyable {
  private var framer: LineFramer

  init(_ framer: consuming LineFramer) { self.framer = framer }

  var pendingByteCount: Int { framer.pendingByteCount }

  mutating func next(in chunk: Span<UInt8>, count: Int, from offset: inout Int) -> MessageFrame {
    switch framer.next(in: chunk, count: count, from: &offset) {
    case .incomplete: .incomplete
    case .inPlace(let line): .inPlace(line)
    case .assembled: .assembled
    case .tooLong: .tooLong
    }
  }

  mutating func takeAssembled() -> AssembledMessage { framer.takeAssembled() }
  mutating func recycle(_ message: consuming AssembledMessage) { framer.recycle(message) }
  mutating func check(from byteCount: Int, nestingLevels: Int) {
    framer.check(from: byteCount, nestingLevels: nestingLevels)
  }
}
