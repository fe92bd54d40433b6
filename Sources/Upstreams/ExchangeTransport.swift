package import GatewayCore
package import TaskStore

/// Carries messages to an upstream as exchanges: each request with its answer.
package protocol ExchangeTransport: UpstreamTransport {
  /// Sends a message: JSON text without a frame. Unless it is aborted, a request gets one answer or one failure, a
  /// notification one delivery or one failure, never from within this call. Messages before the answer reach the
  /// delegate, too.
  func begin(_ exchange: Exchange, _ message: [UInt8])
  /// Ends the exchange of a task; the delegate hears nothing more of it. Without such an exchange nothing happens.
  func abort(_ task: TaskID)
}
