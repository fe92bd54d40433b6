package import TaskStore

/// The properties of one request of a workload.
package struct RequestShape: Hashable, Sendable {
  package var connection: Int
  /// Among the keys of its connection, or among all when they are shared.
  package var key: Int
  package var policy: DuplicatePolicy?
  package var sizeBytes: Int
  /// Whether the client cancels it.
  package var isCancelled: Bool
}
