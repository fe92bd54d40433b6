package import GatewayCore

/// Carries requests to one of an upstream's endpoints, and answers back. The core knows what the bytes mean, the
/// transport does not.
package protocol UpstreamTransport: AnyObject {
  var id: UpstreamID { get }
  var delegate: (any UpstreamTransportDelegate)? { get set }
  /// What it connects to, for logs.
  var name: String { get }
  /// Whether it has no lasting connection: each message gets one of its own.
  var connectsAsNeeded: Bool { get }
  /// Opens the connection; the delegate hears the outcome, never from within this call.
  func connect()
  /// Closes the connection or ends the attempt; the delegate hears nothing of it, nor of anything afterwards.
  func disconnect()
  /// Drops the bytes that it took but has not sent; where possible also those in the kernel's buffer. Exchanges then
  /// have ended, and the delegate hears nothing more of them. A transport that carries bytes is then disconnected by
  /// its owner.
  func reset()
}

extension UpstreamTransport {
  package var connectsAsNeeded: Bool { false }
}
