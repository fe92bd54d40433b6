package import LibUV

/// How a child is started, and how it is ended.
package struct ChildCommand: Hashable, Sendable {
  /// The first is the program, which is looked up on the child's PATH unless it has a slash.
  package var arguments: [String]
  /// Its working directory; nil: that of this process.
  package var directory: String?
  /// The variables of this process's environment that it gets.
  package var inherits = InheritedVariables.usual
  /// "NAME=VALUE" each, added to those, or in the place of those with the same name.
  package var environment: [String]
  /// How long it may take to exit once its input has ended, and again after SIGTERM.
  package var graceMilliseconds: UInt64 = 2_000
  /// Whether SIGTERM comes together with the end of its input, because its work is not wanted any more.
  package var isStoppedAtOnce = false

  /// Whether it shares this process's standard error. Otherwise its standard error is read and logged line by line.
  package var sharesErrors = false

  package init(_ arguments: [String], directory: String? = nil, environment: [String] = []) {
    self.arguments = arguments
    self.directory = directory
    self.environment = environment
    name = arguments.joined(separator: " ")
  }

  /// The name in logs.
  package var name: String

  func startFailure(_ reason: String) -> String {
    "cannot start \(arguments.first ?? "a program")\(directory.map { " in \($0)" } ?? ""): \(reason)"
  }
}
