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

  /// The array's first items were handled before it was held.
  func skipItems(_ count: Int) {
    guard var array else { return }
    let bytes = array.bytes
    for _ in 0..<count { _ = array.reader.next(in: bytes.span) }
    self.array = array
  }

  /// What the client of a mirror has asked at its own loop, in its order; a mirror has nothing else. These are copies: what
  /// the loop told says what others asked, too.
  private var mail: [PeerBatch] = []
  /// So many events of the first of them have been taken; once some have, nothing more is added to that.
  private var takenCount = 0
  /// So much is left of its mail.
  private(set) var mailByteCount = 0
  private var mailMemoryByteCount = 0
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
  /// Nothing is left but an array.
  var isRead: Bool { unreadByteCount == 0 && mail.isEmpty }
  /// It takes so much memory.
  var memoryByteCount: Int {
    bytes.grownByteCount + (array?.bytes.grownByteCount ?? 0) + mailMemoryByteCount
  }

  func append(_ chunk: Span<UInt8>, _ range: Range<Int>) {
    guard !range.isEmpty else { return }
    bytes.removeLast(Self.slack.count)
    bytes.append(chunk, range)
    bytes.append(contentsOf: Self.slack)
  }

  /// Returns how many bytes that are.
  func append(_ batch: PeerBatch, _ event: Int) -> Int {
    let isBegun = mail.count == 1 && takenCount > 0
    if mail.isEmpty || isBegun || mail[mail.count - 1].byteCount >= Self.mailPartBytes {
      mail.append(PeerBatch())
    }
    let last = mail.count - 1
    change(last) { $0.add(event, of: batch) }
    let byteCount = mail[last].byteCount(of: mail[last].eventCount - 1)
    mailByteCount += byteCount
    return byteCount
  }

  func takeMail() -> (batch: PeerBatch, event: Int, byteCount: Int)? {
    guard !mail.isEmpty else { return nil }
    if takenCount == 0 { change(0) { $0.seal() } }
    let (batch, event) = (mail[0], takenCount)
    let byteCount = batch.byteCount(of: event)
    mailByteCount -= byteCount
    takenCount += 1
    if takenCount == batch.eventCount {
      mailMemoryByteCount -= batch.grownByteCount
      mail.removeFirst()
      takenCount = 0
    }
    return (batch, event, byteCount)
  }

  private func change(_ part: Int, _ body: (inout PeerBatch) -> Void) {
    let before = mail[part].grownByteCount
    body(&mail[part])
    mailMemoryByteCount += mail[part].grownByteCount - before
  }

  /// Mail is let go of in parts of about so much.
  private static let mailPartBytes = 16 * 1024
}

@available(*, unavailable)
extension HeldInput: Sendable {}
