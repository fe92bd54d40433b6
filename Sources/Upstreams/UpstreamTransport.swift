package import GatewayCore
package import TaskStore

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

/// Carries bytes to and from one upstream connection.
package protocol ByteTransport: UpstreamTransport {
  /// Returns how many bytes were taken; if fewer than given, `transportBecameWritable` follows.
  func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int
  /// Reads no further, or goes on. What comes all the same is still told.
  func setReading(_ isReading: Bool)
  /// Nothing more will be written; what the upstream still says is heard.
  func end()
  /// Some of what was taken is still to be handed to the kernel.
  var isWriting: Bool { get }
  /// It is gone as it should be: the upstream closed it, or exited without complaint, and had taken everything.
  var hasEndedWell: Bool { get }
  /// Its end is the end of the upstream's work on what it was sent.
  var endsWithItsWork: Bool { get }
}

/// Carries requests to an upstream, each with its answer, as exchanges of their own.
package protocol ExchangeTransport: UpstreamTransport {
  /// Sends a message: JSON text without a frame. Of an exchange with a task one answer, or for a notification its
  /// delivery, or one failure follows, never from within this call, unless it is aborted before. What is said before that
  /// is told as well.
  func begin(_ exchange: Exchange, _ message: [UInt8])
  /// Nobody wants the answer any more: the exchange ends, nothing more is heard of it. Nothing happens when there is
  /// none.
  func abort(_ task: TaskID)
}

/// Hears what comes of an upstream's transport, on the loop.
package protocol UpstreamTransportDelegate: AnyObject {
  func transportConnected(_ upstream: UpstreamID)
  /// Behind the first `count` bytes lies the scanner's slack.
  func transport(_ upstream: UpstreamID, received bytes: Span<UInt8>, count: Int)
  func transportBecameWritable(_ upstream: UpstreamID)
  /// The connection, or the attempt at one, is gone.
  func transport(_ upstream: UpstreamID, disconnected reason: String)
  /// What an exchange says before its answer, or what is none of ours. It may be aborted from within this call. Behind
  /// the first `count` bytes lies the scanner's slack.
  func transport(_ upstream: UpstreamID, gave task: TaskID, _ bytes: Span<UInt8>, count: Int)
  /// An exchange's answer. Behind the first `count` bytes lies the scanner's slack.
  /// - Returns: false, if it is the answer to another request: what brought it is out of step.
  @discardableResult
  func transport(_ upstream: UpstreamID, answered task: TaskID, with bytes: Span<UInt8>, count: Int) -> Bool
  /// A notification has arrived.
  func transport(_ upstream: UpstreamID, delivered task: TaskID)
  func transport(_ upstream: UpstreamID, failed task: TaskID, _ failure: ExchangeFailure, reason: String)
  /// A message that has no task did not arrive.
  func transport(_ upstream: UpstreamID, lost reason: String)
  /// A child wrote a line to its standard error; of a long one this is the beginning.
  func transport(_ upstream: UpstreamID, said line: String)
}

extension UpstreamTransport {
  package var connectsAsNeeded: Bool { false }
}

extension ByteTransport {
  package func setReading(_ isReading: Bool) {}
  package func reset() {}
}
