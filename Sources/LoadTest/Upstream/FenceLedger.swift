/// The highest epoch of each partition of which something has come.
struct FenceLedger {
  /// Those with larger numbers are not looked at.
  private static let partitionLimit = 4096

  private var highest: [UInt64] = []

  /// Notes a request; whether it comes too late.
  mutating func isTooLate(_ fence: UpstreamFence) -> Bool {
    guard fence.partition < Self.partitionLimit else { return false }
    while highest.count <= fence.partition { highest.append(0) }
    guard fence.epoch >= highest[fence.partition] else { return true }
    highest[fence.partition] = fence.epoch
    return false
  }
}
