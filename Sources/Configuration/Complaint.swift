/// One thing that is wrong with a configuration, and the exact place of it.
package struct Complaint: Hashable, Sendable, CustomStringConvertible {
  package let origin: Origin
  package let message: String

  package init(_ origin: Origin, _ message: String) {
    self.origin = origin
    self.message = message
  }

  /// As compilers say it: `lastword.toml:3:8: error: …`.
  package var description: String { "\(origin.exactDescription): error: \(message)" }
}
