package import GatewayCore
package import TaskStore

/// Carries requests to an upstream, each with its answer, as exchanges of their own.
package protocol ExchangeTransport: UpstreamTransport {
  /// Sends a message: JSON text without a frame. A task gets one answer, a notification its delivery, or either one
  /// failure, never from within this call, unless it is aborted before. Messages before the answer are told as well.
  func begin(_ exchange: Exchange, _ message: [UInt8])
  /// Nobody wants the answer any more: the exchange ends, and nothing more is heard of it. Without an exchange nothing
  /// happens.
  func abort(_ task: TaskID)
}
