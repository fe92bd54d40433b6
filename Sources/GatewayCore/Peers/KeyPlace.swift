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
