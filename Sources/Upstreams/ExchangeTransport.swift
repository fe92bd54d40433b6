package import GatewayCore
package import TaskStore

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
