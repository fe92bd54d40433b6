/// What becomes of a caller whose task is superseded.
package enum SupersededRule: UInt8, Hashable, Sendable, CaseIterable {
  /// It gets an error.
  case error
  /// It gets the newer task's answer, if that has the same method.
  case follow

  /// The rule's name, as requests spell it.
  package var name: String { "\(self)" }
}
