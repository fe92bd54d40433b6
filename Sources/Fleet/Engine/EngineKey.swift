// What a fleet needs of the engine that keeps its records, as etcd has it: each write gets the next revision, each record
// has that of its last write, and a transaction writes all it says, or nothing where one of its conditions does not hold.

package enum EngineKey: Hashable, Sendable {
  case member(MemberID)
  case partition(Int)
}
