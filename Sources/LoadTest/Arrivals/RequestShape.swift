package import TaskStore

/// One request as the workload wants it.
package struct RequestShape: Hashable, Sendable {
  package var connection: Int
  /// Among the keys of its connection, or among all when they are shared.
  package var key: Int
  package var policy: DuplicatePolicy?
  package var sizeBytes: Int
  /// Whether the client thinks better of it.
  package var isCancelled: Bool
}
