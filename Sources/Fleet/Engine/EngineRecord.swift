package struct EngineRecord: Hashable, Sendable {
  package var value: EngineValue
  package var revision: Int64

  package init(_ value: EngineValue, revision: Int64) {
    self.value = value
    self.revision = revision
  }
}
