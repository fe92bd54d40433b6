/// Notifications that could not be sent to the service manager yet: the newest, in the order that makes sense.
struct PendingNotifications {
  static let alive = "WATCHDOG=1"

  private var reloading: String?
  private var newest: String?
  private var isAlive = false

  /// It is read again, whatever was before.
  mutating func add(reloading text: String) { (reloading, newest) = (text, nil) }
  /// The end of reloading, if that is not known yet.
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
