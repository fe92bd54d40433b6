/// One mistake in a configuration, and its exact place.
package struct Complaint: Hashable, Sendable, CustomStringConvertible {
  package let origin: Origin
  package let message: String
  private let isWarning: Bool

  package init(_ origin: Origin, _ message: String) {
    self.origin = origin
    self.message = message
    isWarning = false
  }

  /// A warning about something that is allowed but hardly meant.
  init(warningAt origin: Origin, _ message: String) {
    self.origin = origin
    self.message = message
    isWarning = true
  }

  /// The message with its place, but without "error" or "warning".
  package var located: String { "\(origin.exactDescription): \(message)" }

  /// The message in the form of compilers: `lastword.toml:3:8: error: …`.
  package var description: String {
    "\(origin.exactDescription): \(isWarning ? "warning" : "error"): \(message)"
  }
}
