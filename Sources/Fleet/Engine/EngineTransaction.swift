package struct EngineTransaction: Hashable, Sendable {
  /// All of them have to hold.
  package var conditions: [EngineCondition]
  package var writes: [EngineWrite]

  package init(conditions: [EngineCondition], writes: [EngineWrite]) {
    self.conditions = conditions
    self.writes = writes
  }
}
