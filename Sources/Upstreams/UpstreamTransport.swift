package import GatewayCore

/// Carries bytes to and from one upstream: nothing more. What the bytes mean is the core's business.
package protocol UpstreamTransport: AnyObject {
  var id: UpstreamID { get }
  var delegate: (any UpstreamTransportDelegate)? { get set }
  /// What it connects to, for logs.
  var name: String { get }
  /// Opens the connection; the delegate hears how that went, never from within this call.
  func connect()
  /// Returns how many bytes were taken; if fewer than given, `transportBecameWritable` follows.
  func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int
  /// Closes the connection or ends the attempt; the delegate hears nothing of it.
  func disconnect()
}

/// Hears what comes of an upstream's transport, on the loop.
package protocol UpstreamTransportDelegate: AnyObject {
  func transportConnected(_ upstream: UpstreamID)
  /// Behind the first `count` bytes lies the scanner's slack.
  func transport(_ upstream: UpstreamID, received bytes: Span<UInt8>, count: Int)
  func transportBecameWritable(_ upstream: UpstreamID)
  /// The connection, or the attempt at one, is gone.
  func transport(_ upstream: UpstreamID, disconnected reason: String)
}
