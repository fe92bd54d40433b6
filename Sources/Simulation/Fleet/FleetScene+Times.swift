import Fleet
import GatewayCore

/// How long requests wait: debounced ones start once nothing newer has come for a while, and no caller waits longer
/// than its timeout, whatever becomes of the members.
extension FleetScene {
  private static let timeouts: [Int64] = [60, 500, 3_000]
  private static let debounces = [50, 400]
  /// A turn's clock may be behind the scene's, and another turn may have to write the answer.
  private static let slackMilliseconds: Int64 = 300

  /// What a request says of its times, and how long it waits.
  mutating func drawTimes(policy: String) -> (text: String, timeoutMilliseconds: Int64) {
    var text = ""
    var timeout = Int64(Self.timeoutMilliseconds)
    if timed.oneIn(8) {
      timeout = timed.pick(Self.timeouts)
      text += #","timeoutMs":\#(timeout)"#
    }
    // Only where each takes the place of what came before: others may start before one that waits.
    if timed.oneIn(8), policy == "cancel" || policy == "cancelAndWait" {
      text += #","debounceMs":\#(timed.pick(Self.debounces))"#
    }
    return (text, timeout)
  }

  /// A process that stands still answers nobody, and what it has to say it says once it goes on.
  func lateness(of number: Int) -> String? {
    let member = clients[asked[number].client].member
    let waits = most(asked[number].timeoutMilliseconds, of: member)
    let due = max(asked[number].askedAt + waits, members[member].stoppedUntil)
    guard now > due + Self.slackMilliseconds else { return nil }
    return "request \(number) was answered \(now - due) ms too late"
  }
}
