/// Notifications that could not be sent to the service manager yet: only the newest of each kind, and RELOADING before
/// the state that follows it.
struct PendingNotifications {
  static let alive = "WATCHDOG=1"

  private var reloading: String?
  private var newest: String?
  private var isAlive = false

  /// Adds the beginning of a reload, which replaces what was pending.
  mutating func add(reloading text: String) { (reloading, newest) = (text, nil) }
  /// Adds the state "ready"; it ends a reload that may be pending, too.
  mutating func add(ready text: String) { newest = text }
  mutating func add(stopping text: String) { (reloading, newest) = (nil, text) }
  mutating func addAlive() { isAlive = true }

  var first: String? { reloading ?? newest ?? (isAlive ? Self.alive : nil) }

  mutating func removeFirst() {
    if reloading != nil {
      reloading = nil
    } else if newest != nil {
      newest = nil
    } else {
      isAlive = false
    }
  }

  mutating func removeAll() { self = PendingNotifications() }
}
