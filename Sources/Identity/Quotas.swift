/// What all connections of one principal may take together.
package struct Quotas: Hashable, Sendable {
  package var connections = 1_000
  /// Tasks that have not ended: queued, running, draining and orphaned.
  package var tasks = 10_000
  /// Requests that wait for an answer, those included that share one; 0: a quarter of all that may wait.
  package var callers = 0
  /// Bytes of what they ask, as far as that is kept.
  package var payloadBytes = 64 * 1024 * 1024
  /// Requests and notifications for upstreams, callers that they supersede, and what is cancelled; 0: without bound.
  package var requestsPerSecond = 0
  package var supersessionsPerSecond = 0
  package var cancelsPerSecond = 0

  package init() {}
}
