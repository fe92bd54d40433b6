/// What a child is started with, and how it is made to leave.
package struct ChildCommand: Hashable, Sendable {
  /// The first is the program, which is looked up on the child's PATH unless it has a slash.
  package var arguments: [String]
  /// Where it is started; nil: where this process was.
  package var directory: String?
  /// "NAME=VALUE" each, added to this process's environment or replacing it there.
  package var environment: [String]
  /// How long it gets to leave once its input has ended, and again after SIGTERM.
  package var graceMilliseconds: UInt64 = 2_000
  /// SIGTERM comes with the end of its input: what it works on is not wanted any more.
  package var isStoppedAtOnce = false

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
