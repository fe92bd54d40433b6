/// Decides what becomes of a link whose other end does not answer.
///
/// Where this member may not act the engine is away, and all members may stand still: that counts for a pause at most,
/// so that the others have time to answer once they may act again, which is sooner at one than at another.
struct AnswerSilence {
  enum Verdict {
    case answers
    /// It is asked nothing more for the time being.
    case pauses
    /// It cannot be reached: what it was asked may have been done.
    case isOver
  }

  static let pausingMilliseconds: Int64 = 1_200
  static let longestMilliseconds: Int64 = 4_000

  private var heardAt: Int64
  /// So many bytes had come by then.
  private var heardByteCount: UInt64 = 0

  /// - Parameter now: by `CLOCK_BOOTTIME`; the link has just begun.
  init(at now: Int64) { heardAt = now }

  /// - Parameters:
  ///   - receivedByteCount: since the link's start. Some of what is said counts, too: an answer may be long, and what
  ///     leads to the other slow.
  ///   - mayAct: this member may.
  mutating func verdict(receivedByteCount: UInt64, at now: Int64, mayAct: Bool) -> Verdict {
    if receivedByteCount != heardByteCount {
      heardByteCount = receivedByteCount
      heardAt = now
    }
    if !mayAct { heardAt = max(heardAt, now - Self.pausingMilliseconds) }
    let silence = now - heardAt
    if silence >= Self.longestMilliseconds { return .isOver }
    return silence >= Self.pausingMilliseconds ? .pauses : .answers
  }
}
