package import GatewayCore

/// Hears what comes of a client's transport, on the loop.
package protocol ClientTransportDelegate: AnyObject {
  /// Behind the first `count` bytes lies the scanner's slack.
  func client(_ client: ClientID, received bytes: Span<UInt8>, count: Int)
  /// It sends no more, and can still be written to.
  func clientEnded(_ client: ClientID)
  /// The transport takes so much memory by itself from now on.
  func client(_ client: ClientID, transportHolds byteCount: Int)
  /// What was taken has left: more is taken.
  func clientBecameWritable(_ client: ClientID)
  /// Nobody is there any more, told once; `drop()` is what is left.
  func clientDisconnected(_ client: ClientID)
}

extension ClientTransportDelegate {
  package func client(_ client: ClientID, transportHolds byteCount: Int) {}
}
