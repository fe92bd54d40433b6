package import GatewayCore
package import TaskStore

/// Hears from an upstream's transport, on the loop.
package protocol UpstreamTransportDelegate: AnyObject {
  func transportConnected(_ upstream: UpstreamID)
  /// Behind the first `count` bytes lies the scanner's slack.
  func transport(_ upstream: UpstreamID, received bytes: Span<UInt8>, count: Int)
  func transportBecameWritable(_ upstream: UpstreamID)
  /// The connection is lost, or could not be opened.
  func transport(_ upstream: UpstreamID, disconnected reason: String)
  /// A message of an exchange before its answer, or one that has nothing to do with the exchange. The exchange may be
  /// aborted from within this call. Behind the first `count` bytes lies the scanner's slack.
  func transport(_ upstream: UpstreamID, gave task: TaskID, _ bytes: Span<UInt8>, count: Int)
  /// An exchange's answer. Behind the first `count` bytes lies the scanner's slack.
  /// - Returns: false, if it is the answer to another request: its connection is then out of step, and not used again.
  @discardableResult
  func transport(_ upstream: UpstreamID, answered task: TaskID, with bytes: Span<UInt8>, count: Int) -> Bool
  /// A notification has arrived.
  func transport(_ upstream: UpstreamID, delivered task: TaskID)
  func transport(_ upstream: UpstreamID, failed task: TaskID, _ failure: ExchangeFailure, reason: String)
  /// A message without a task did not arrive.
  func transport(_ upstream: UpstreamID, lost reason: String)
  /// A child wrote a line to its standard error; of a long one this is the beginning.
  func transport(_ upstream: UpstreamID, said line: String)
}
