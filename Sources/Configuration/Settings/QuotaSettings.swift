import Identity

/// The quotas of one principal; nil: the usual ones count.
package struct QuotaSettings: Sendable {
  package var connections: Int?
  package var tasks: Int?
  package var callers: Int?
  package var payloadBytes: Int?
  package var requestsPerSecond: Int?
  package var supersessionsPerSecond: Int?
  package var cancelsPerSecond: Int?

  /// - Parameter usual: the quotas of principals that have none of their own.
  func quotas(_ usual: Quotas) -> Quotas {
    var quotas = usual
    if let connections { quotas.connections = connections }
    if let tasks { quotas.tasks = tasks }
    if let callers { quotas.callers = callers }
    if let payloadBytes { quotas.payloadBytes = payloadBytes }
    if let requestsPerSecond { quotas.requestsPerSecond = requestsPerSecond }
    if let supersessionsPerSecond { quotas.supersessionsPerSecond = supersessionsPerSecond }
    if let cancelsPerSecond { quotas.cancelsPerSecond = cancelsPerSecond }
    return quotas
  }
}
