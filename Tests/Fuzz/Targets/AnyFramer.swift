import JSONRPC

/// What the framers have in common.
protocol AnyFramer: ~Copyable {
  var pendingByteCount: Int { get }
  /// What was no message, as far as that is counted.
  var noiseCount: Int { get }
  mutating func next(in chunk: Span<UInt8>, count: Int, from offset: inout Int) -> MessageFrame
  mutating func takeAssembled() -> AssembledMessage
  mutating func recycle(_ message: consuming AssembledMessage)
}

extension AnyFramer where Self: ~Copyable {
  var noiseCount: Int { 0 }

  mutating func read(_ chunk: [UInt8], into frames: inout [Framed]) {
    var offset = 0
    while true {
      switch next(in: chunk.span, count: chunk.count, from: &offset) {
      case .incomplete: return
      case .inPlace(let range): frames.append(.message(Array(chunk[range])))
      case .assembled: frames.append(.message(assembled()))
      case .tooLong: frames.append(.tooLong)
      case .badHeader: frames.append(.badHeader)
      }
    }
  }

  private mutating func assembled() -> [UInt8] {
    let message = takeAssembled()
    let range = message.range
    let bytes = message.withSpan { span in range.map { span[$0] } }
    recycle(message)
    return bytes
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
}
