package import GatewayCore

/// Carries requests to one of an upstream's endpoints, and what comes back: nothing more. What the bytes mean is the
/// core's business.
package protocol UpstreamTransport: AnyObject {
  var id: UpstreamID { get }
  var delegate: (any UpstreamTransportDelegate)? { get set }
  /// What it connects to, for logs.
  var name: String { get }
  /// It has no connection of its own: what it is given to carry gets one.
  var connectsAsNeeded: Bool { get }
  /// Opens the connection; the delegate hears how that went, never from within this call.
  func connect()
  /// Closes the connection or ends the attempt; the delegate hears nothing of it, nor of anything afterwards.
  func disconnect()
  /// Drops what was taken and not sent; where possible also what is in the kernel's buffer. Exchanges have ended then,
  /// and nothing more is heard of them; where it carries bytes, `disconnect()` follows.
  func reset()
}

extension UpstreamTransport {
  package var connectsAsNeeded: Bool { false }
}
