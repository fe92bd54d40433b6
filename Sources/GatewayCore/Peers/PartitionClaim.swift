/// A key's partition, and the epoch under which somebody has it as far as whoever asks knows.
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

/// Where a request goes whose key others may have.
struct KeyPlace {
  /// -1: nobody knows at the moment.
  let loop: Int
  /// Of a fleet; -1: it is about none.
  let partition: Int
  /// The key's hash; 0: it is about none.
  let name: UInt64

  init(loop: Int, partition: Int = -1, name: UInt64 = 0) {
    self.loop = loop
    self.partition = partition
    self.name = name
  }
}
