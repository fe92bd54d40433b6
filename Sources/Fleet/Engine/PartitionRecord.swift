/// Whose a partition is. Each time that somebody gets it, its epoch is one higher.
package struct PartitionRecord: Hashable, Sendable {
  package var owner: MemberID
  package var epoch: UInt32
  /// Nothing is at work any more that an earlier owner started. Else some of it may be: it died, or gave the partition
  /// away before it could know that of its own predecessor's.
  package var isExclusive: Bool

  package init(owner: MemberID, epoch: UInt32, isExclusive: Bool = true) {
    self.owner = owner
    self.epoch = epoch
    self.isExclusive = isExclusive
  }
}
