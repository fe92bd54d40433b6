/// A member says that it lives by counting its beats.
package struct MemberRecord: Hashable, Sendable {
  /// Where other members reach it.
  package var address: String
  package var beat: UInt64
  /// It gives its partitions away, and wants no others.
  package var isLeaving: Bool

  package init(address: String, beat: UInt64, isLeaving: Bool) {
    self.address = address
    self.beat = beat
    self.isLeaving = isLeaving
  }
}
