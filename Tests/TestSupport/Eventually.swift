import Foundation

/// Looks again and again until there is a value, as long as the watchdog allows: other processes do things and do not
/// tell.
package func eventually<Value>(_ what: String, _ look: () throws -> Value?) throws -> Value {
  let end = ContinuousClock.now + .seconds(LineSocket.watchdogSeconds)
  while ContinuousClock.now < end {
    if let value = try look() { return value }
    usleep(2_000)
  }
  throw NeverHappened(what: what)
}

struct NeverHappened: Error, CustomStringConvertible {
  let what: String
  var description: String { "this never happened: \(what)" }
}
