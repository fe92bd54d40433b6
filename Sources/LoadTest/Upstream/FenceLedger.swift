/// The highest epoch of each partition that a request had so far.
struct FenceLedger {
  /// Partitions with larger numbers are ignored.
  private static let partitionLimit = 4096

  private var highest: [UInt64] = []

  /// Notes a request; returns whether it comes too late, behind one of a later epoch.
  mutating func isTooLate(_ fence: UpstreamFence) -> Bool {
    guard fence.partition < Self.partitionLimit else { return false }
    while highest.count <= fence.partition { highest.append(0) }
    guard fence.epoch >= highest[fence.partition] else { return true }
    highest[fence.partition] = fence.epoch
    return false
  }
}
