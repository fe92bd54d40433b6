import HotData

/// Rendezvous hashing: of the members that there are, each partition belongs to the one with the highest hash. When one
/// comes or goes, only its own partitions move.
package struct Rendezvous {
  private let hash: KeyedHash

  package init(seed: UInt64) { hash = KeyedHash(seed: seed) }

  /// Nil: there are none.
  package func first(for partition: Int, among members: [MemberID]) -> MemberID? {
    members.max { weight(of: $0, partition) < weight(of: $1, partition) }
  }

  /// Of two with the same hash the higher.
  private func weight(of member: MemberID, _ partition: Int) -> (UInt64, MemberID) {
    (hash.hash(UInt64(partition), member.bytes.span), member)
  }
}
