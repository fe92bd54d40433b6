/// Whether a request may share the answer of the newest live task of its lane instead of being a task itself.
package enum JoinRule: UInt8, Hashable, Sendable, CaseIterable {
  /// If it has the same method, whatever its params.
  case always
  /// If it asks the very same: the same method, byte-equal params.
  case identical
  case never

  /// The rule's name, as requests spell it.
  package var name: String { "\(self)" }
}
