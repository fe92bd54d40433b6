import GatewayCore
import TaskStore

/// How many tasks one client may have in flight at a shared upstream.
extension Oracle {
  /// Shares that are larger are not looked at: no history is so long.
  static let tightShare = 100

  /// Whether a client surely has less in flight than it may.
  func surelyHasShare(_ client: Int, at upstream: Int) -> Bool {
    let share = upstreams[upstream].share
    guard share < Self.tightShare else { return true }
    return count(client, among: owners(upstream)) < share
  }

  /// Whether at some time of this turn it may have had all that it may.
  func mayHaveLackedShare(_ client: Int, at upstream: Int) -> Bool {
    let view = upstreams[upstream]
    guard view.tightShare < Self.tightShare else { return false }
    let before = count(client, among: view.ownersBefore)
    let since = count(client, among: seenOwners(upstream))
    return before + since >= view.tightShare
  }

  mutating func noteOwners(_ upstream: Int) {
    upstreams[upstream].ownersBefore = upstreams[upstream].share < Self.tightShare ? owners(upstream) : []
  }

  /// The owners of the calls that an upstream works on, as far as the gateway can know; -1: not known.
  private func owners(_ upstream: Int) -> [Int] {
    upstreams[upstream].links.flatMap { links[$0].calls.map { party(of: $0) } }
  }

  /// The owners of this turn's calls.
  func seenOwners(_ upstream: Int) -> [Int] {
    upstreams[upstream].seen.map { $0.task < 0 ? -1 : party(of: $0.task) }
  }

  /// How many of these owners may be the client; -1 may be any client.
  private func count(_ client: Int, among owners: [Int]) -> Int {
    owners.count { client < 0 || $0 < 0 || $0 == client }
  }
}
