import JSONRPC

/// What one client hears, message by message.
final class HeardMessages {
  private var framer = MessageFramer(limitBytes: .max)

  /// Nil until it has heard anything.
  var framing: Framing? { framer.framing }

  func read(_ bytes: [UInt8]) throws(Violation) -> [Framed] {
    var frames: [Framed] = []
    try framer.read(bytes, into: &frames)
    return frames
  }
}
