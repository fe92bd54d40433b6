import JSONRPC

/// What has come of a client, or of an upstream, and is not handled yet: it has had its share of the turn.
final class HeldInput {
  private static let slack = [UInt8](repeating: 0, count: JSONText.slackByteCount)

  /// An array of messages that was begun, and goes on where it stopped.
  struct OpenArray {
    let batch: Int
    /// Its items that are left.
    var itemCount: Int
    var reader: ArrayReader
    /// With the scanner's slack behind it.
    let bytes: [UInt8]
  }

  /// It goes before the bytes.
  var array: OpenArray?
  /// With the scanner's slack behind them.
  private(set) var bytes = HeldInput.slack
  /// So much of them has been read.
  var offset = 0
  /// Nothing has been handled of the client since something of it is held.
  var isNew = false
  /// The client has sent its last byte.
  var isLast = false
  /// The client is gone, and nobody has been told.
  var isGone = false

  var byteCount: Int { bytes.count - Self.slack.count }
  var unreadByteCount: Int { byteCount - offset }
  /// It takes so much memory.
  var memoryByteCount: Int { bytes.grownByteCount + (array?.bytes.grownByteCount ?? 0) }

  func append(_ chunk: Span<UInt8>, _ range: Range<Int>) {
    guard !range.isEmpty else { return }
    bytes.removeLast(Self.slack.count)
    bytes.reserveCapacity(bytes.count + range.count + Self.slack.count)
    bytes.append(chunk, range)
    bytes.append(contentsOf: Self.slack)
  }
}

@available(*, unavailable)
extension HeldInput: Sendable {}
