/// One thing that is wrong with a configuration, and the exact place of it.
package struct Complaint: Hashable, Sendable, CustomStringConvertible {
  package let origin: Origin
  package let message: String
  private let isWarning: Bool

  package init(_ origin: Origin, _ message: String) {
    self.origin = origin
    self.message = message
    isWarning = false
  }

  /// Of what is allowed, and hardly meant.
  init(warningAt origin: Origin, _ message: String) {
    self.origin = origin
    self.message = message
    isWarning = true
  }

  /// With its place, and without saying whether it is an error.
  package var located: String { "\(origin.exactDescription): \(message)" }

  /// As compilers say it: `lastword.toml:3:8: error: …`.
  package var description: String {
    "\(origin.exactDescription): \(isWarning ? "warning" : "error"): \(message)"
  }
}
