// The engine keeps a fleet's records, as etcd does: each write gets the next revision, each record has the revision of
// its last write, and a transaction makes all its writes, or none if one of its conditions does not hold.

package enum EngineKey: Hashable, Sendable {
  case member(MemberID)
  case partition(Int)
}
