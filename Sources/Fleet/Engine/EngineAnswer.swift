package enum EngineAnswer: Sendable {
  /// What the transaction writes has this revision.
  case applied(Int64)
  /// One of its conditions does not hold.
  case refused
  /// What was read; nil: it is not there.
  case record(EngineRecord?)
  /// There was no answer: it may have been applied, or be so later.
  case unknown
}
