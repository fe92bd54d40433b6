/// One of the upstreams of the configuration, at one moment.
package struct UpstreamGauges: Hashable, Sendable {
  /// Addresses that requests can be sent to at once.
  package var connectedEndpoints = 0
  /// That clients share: what a client has for itself is there only while the client is.
  package var endpoints = 0
  /// Requests that it works on, unwanted ones too.
  package var inFlight = 0
  /// Requests that wait for a connection, or for room.
  package var waiting = 0

  package init() {}

  /// The gauges of two loops, which have their own connections: an endpoint counts as connected if both have reached
  /// it.
  package static func + (one: UpstreamGauges, other: UpstreamGauges) -> UpstreamGauges {
    var sum = one
    sum.connectedEndpoints = min(one.connectedEndpoints, other.connectedEndpoints)
    sum.inFlight += other.inFlight
    sum.waiting += other.waiting
    return sum
  }
}
