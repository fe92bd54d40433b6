/// What every answer of an engine says of itself.
package struct EngineHeader: Sendable {
  package let cluster: UInt64
  /// The last that it has given, when it answered.
  package let revision: Int64

  package init(cluster: UInt64, revision: Int64) {
    self.cluster = cluster
    self.revision = revision
  }
}
