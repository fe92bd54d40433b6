package import LibUV

/// What a child is started with, and how it is made to leave.
package struct ChildCommand: Hashable, Sendable {
  /// The first is the program, which is looked up on the child's PATH unless it has a slash.
  package var arguments: [String]
  /// Where it is started; nil: where this process was.
  package var directory: String?
  /// Of this process's environment.
  package var inherits = InheritedVariables.usual
  /// "NAME=VALUE" each, added to that or replacing it there.
  package var environment: [String]
  /// How long it gets to leave once its input has ended, and again after SIGTERM.
  package var graceMilliseconds: UInt64 = 2_000
  /// SIGTERM comes with the end of its input: what it works on is not wanted any more.
  package var isStoppedAtOnce = false

  /// It writes to this process's standard error itself; else what it writes there is heard line by line.
  package var sharesErrors = false

  package init(_ arguments: [String], directory: String? = nil, environment: [String] = []) {
    self.arguments = arguments
    self.directory = directory
    self.environment = environment
    name = arguments.joined(separator: " ")
  }

  /// For logs.
  package var name: String

  func startFailure(_ reason: String) -> String {
    "cannot start \(arguments.first ?? "a program")\(directory.map { " in \($0)" } ?? ""): \(reason)"
  }
}
