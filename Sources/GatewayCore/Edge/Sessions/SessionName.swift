import HotData

/// The scope in which `task.order` counts: one connection, or all POSTs that name the same session, even if none of
/// them is under way now.
struct SessionName: Hashable {
  /// The connection's number, which no other ever has; or a hash of all that makes a session one.
  private let high: UInt64
  /// 0: a connection's; else the other half of the hash, whose lowest bit is set.
  private let low: UInt64

  init(connection number: UInt64) { (high, low) = (number, 0) }

  /// - Parameter hash: keyed, so that nobody can choose the name of another's session.
  init(listener: Int, principal: Int, text: [UInt8], hash: KeyedHash) {
    let owner = UInt64(listener) << 32 | UInt64(UInt32(truncatingIfNeeded: principal))
    high = hash.hash(owner, text.span)
    low = hash.hash(~owner, text.span) | 1
  }
}
