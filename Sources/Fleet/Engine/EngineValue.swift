package enum EngineValue: Hashable, Sendable {
  case member(MemberRecord)
  case partition(PartitionRecord)
}
