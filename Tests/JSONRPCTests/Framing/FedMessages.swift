import JSONRPC

/// What a framer said, with the message's text.
enum Framed: Hashable {
  case message(String)
  case tooLong
  case badHeader
}

/// A framer that is fed chunks to their end, as by a connection.
final class FedMessages<Framer: MessageFraming & ~Copyable> {
  private var framer: Framer
  /// What was kept of messages that were too long.
  private(set) var heads: [String] = []

  init(_ framer: consuming Framer) { self.framer = framer }

  var isMidMessage: Bool { framer.isMidMessage }
  var pendingByteCount: Int { framer.pendingByteCount }

  func feed(_ chunk: String) -> [Framed] { feed(Array(chunk.utf8)) }

  func feed(_ chunk: [UInt8]) -> [Framed] {
    var offset = 0
    var messages: [Framed] = []
    while true {
      switch next(in: chunk, from: &offset) {
      case .incomplete: return messages
      case .inPlace(let range): messages.append(.message(String(decoding: chunk[range], as: UTF8.self)))
      case .assembled: messages.append(.message(takeText().text))
      case .tooLong:
        heads.append(String(decoding: framer.takeHead(), as: UTF8.self))
        messages.append(.tooLong)
      case .badHeader: messages.append(.badHeader)
      }
    }
  }

  /// Feeds the stream cut before each of `cuts`.
  func feed(_ stream: [UInt8], cutAt cuts: [Int]) -> [Framed] {
    let edges = [0] + cuts + [stream.count]
    return zip(edges, edges.dropFirst()).flatMap { feed(Array(stream[$0..<$1])) }
  }

  func next(in chunk: [UInt8], from offset: inout Int) -> MessageFrame {
    framer.next(in: chunk.span, count: chunk.count, from: &offset)
  }

  /// The assembled message, and how many readable bytes follow it.
  func takeText() -> (text: String, slackByteCount: Int) {
    let message = framer.takeAssembled()
    let range = message.range
    let text = message.withSpan { bytes in
      (String(decoding: range.map { bytes[$0] }, as: UTF8.self), bytes.count - range.upperBound)
    }
    framer.recycle(message)
    return text
  }
}

extension FedMessages where Framer == MessageFramer {
  var framing: Framing? { framer.framing }
}

extension FedMessages where Framer == UpstreamFramer {
  var noiseCount: Int { framer.noiseCount }
}

/// What the framers that say `MessageFrame` have in common.
protocol MessageFraming: ~Copyable {
  var isMidMessage: Bool { get }
  var pendingByteCount: Int { get }
  mutating func next(in chunk: Span<UInt8>, count: Int, from offset: inout Int) -> MessageFrame
  mutating func takeAssembled() -> AssembledMessage
  mutating func recycle(_ message: consuming AssembledMessage)
  mutating func takeHead() -> [UInt8]
  mutating func check(from byteCount: Int, nestingLevels: Int)
  var uncheckedByteCount: Int { get }
}

extension MessageFraming where Self: ~Copyable {
  mutating func takeHead() -> [UInt8] { [] }
}

extension ContentLengthFramer: MessageFraming {}
extension MessageFramer: MessageFraming {}
extension UpstreamFramer: MessageFraming {}
