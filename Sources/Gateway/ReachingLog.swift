package import GatewayCore

/// Decides what to log of upstreams: that a connection is lost, or that none can be made, once for each reason.
package struct ReachingLog {
  package enum News: Hashable {
    /// It was connected.
    case lost
    /// It was not, and the reason is none that was given since it last was.
    case unreached
    case stillUnreached
  }

  /// By the connection's number.
  private var isConnected: Set<Int> = []
  /// By the upstream's name, of which there are as many as the configuration has.
  private var lastReason: [String: String] = [:]

  package init() {}

  package mutating func connected(_ upstream: UpstreamID, to name: String) {
    isConnected.insert(upstream.slot)
    lastReason[name] = nil
  }

  /// A connection, or an attempt at one, is gone.
  package mutating func disconnected(_ upstream: UpstreamID, from name: String, _ reason: String) -> News {
    if isConnected.remove(upstream.slot) != nil { return .lost }
    guard lastReason[name] != reason else { return .stillUnreached }
    lastReason[name] = reason
    return .unreached
  }

  /// Its owner closed the connection.
  package mutating func closed(_ upstream: UpstreamID) { isConnected.remove(upstream.slot) }
}
