/// A key's partition, and the epoch under which it has an owner, as far as the asking loop knows.
package struct PartitionClaim: Hashable, Sendable {
  /// -1: it is about none.
  package var partition: Int16
  package var epoch: UInt32

  package init(partition: Int16, epoch: UInt32) {
    self.partition = partition
    self.epoch = epoch
  }

  static let none = PartitionClaim(partition: -1, epoch: 0)
}
