/// An action, at which member of a cluster it happens, and whether the gateway writes early behind it, and its loop turn
/// ends. Time passes everywhere.
package struct Step: Hashable, Sendable {
  package var action: Action
  package var member = 0
  package var flushesEarly = false
  package var endsTurn = true

  init(_ action: Action, at member: Int = 0, flushesEarly: Bool = false, endsTurn: Bool = true) {
    self.action = action
    self.member = member
    self.flushesEarly = flushesEarly
    self.endsTurn = endsTurn
  }
}
