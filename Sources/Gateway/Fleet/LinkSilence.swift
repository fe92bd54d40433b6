/// Decides when nobody can be left at the other end of a link: the asking member says something every half second.
///
/// It counts looks, not time: where this process stood still, what had come meanwhile is read before the next one.
struct LinkSilence {
  static let milliseconds: UInt64 = 10_000
  private static let mostLooks = milliseconds / OwningLinks.tickMilliseconds

  private var heardByteCount: UInt64 = 0
  private var looks: UInt64 = 0

  /// To be asked once each tick.
  /// - Parameter receivedByteCount: since the link's start.
  mutating func isOver(receivedByteCount: UInt64) -> Bool {
    looks = receivedByteCount == heardByteCount ? looks + 1 : 0
    heardByteCount = receivedByteCount
    return looks >= Self.mostLooks
  }
}
