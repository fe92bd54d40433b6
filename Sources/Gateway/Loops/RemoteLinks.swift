import GatewayCore

/// What leads to loops of other members of a fleet.
protocol RemoteLinks: AnyObject {
  func send(_ batch: PeerBatch, to place: Int)
  func isBehind(_ place: Int) -> Bool
  /// The life of the member in which this loop decides.
  var life: Int { get }
}
