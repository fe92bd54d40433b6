package import JSONRPC
package import TaskStore

/// Defaults of the requests of some methods.
package struct Route: Hashable, Sendable {
  /// A method's name, or, of a prefix, what it begins with; compared as bytes.
  package var method: String
  package var isPrefix = false
  /// By its place in the configuration.
  package var upstream = 0
  /// Where the params hold the key: a string, or a number or truth value as it stands there.
  package var key: JSONPointer?
  /// Put before that key, so that methods with the same params do not compete. With `hasConstantKey`, the whole key of
  /// requests whose params have none.
  package var keyPrefix: [UInt8] = []
  package var hasConstantKey = false
  package var requiresKey = false
  package var policy: DuplicatePolicy?
  package var allowedPolicies = DuplicatePolicy.allCases
  /// `always` allows its requests to say that, too.
  package var join: JoinRule?
  /// `follow` allows its requests to say that, too.
  package var superseded = SupersededRule.error
  package var timeoutMilliseconds: UInt32?
  package var drainMilliseconds: UInt32?
  package var debounceMilliseconds: UInt32?
  package var maxWaitMilliseconds: UInt32?
  package var maxStaleMilliseconds: UInt32?
  /// So many of a key's requests may run at once, with `wait` and `keepLatest`.
  package var maxRunning: UInt8 = 1
  /// The bounds of its requests; nil: as for all.
  package var longestTimeoutMilliseconds: UInt32?
  package var longestDrainMilliseconds: UInt32?
  package var longestDebounceMilliseconds: UInt32?
  package var longestMaxWaitMilliseconds: UInt32?
  package var longestMaxStaleMilliseconds: UInt32?
  /// The higher goes first where requests wait for an upstream.
  package var priority = Route.usualPriority
  /// How the upstream is told that such a request is not wanted any more; nil: as for others.
  package var cancel: CancelDialect?
  /// The method that undoes a request which succeeded although nobody wanted it any more.
  package var compensation: String?

  package static let priorities = 0..<WaitingLine.levels
  package static let usualPriority = 5

  package init(method: String, compensation: String? = nil) {
    self.method = method
    self.compensation = compensation
  }
}
