package enum EngineCondition: Hashable, Sendable {
  /// The record was last written by this revision; 0: it is not there.
  case revision(EngineKey, Int64)
  case exists(EngineKey)
}
