import Identity

/// Bounds of one principal that differ from those of all.
package struct QuotaSettings: Sendable {
  package var connections: Int?
  package var tasks: Int?
  package var payloadBytes: Int?
  package var requestsPerSecond: Int?
  package var supersessionsPerSecond: Int?
  package var cancelsPerSecond: Int?

  /// - Parameter usual: as for all.
  func quotas(_ usual: Quotas) -> Quotas {
    var quotas = usual
    if let connections { quotas.connections = connections }
    if let tasks { quotas.tasks = tasks }
    if let payloadBytes { quotas.payloadBytes = payloadBytes }
    if let requestsPerSecond { quotas.requestsPerSecond = requestsPerSecond }
    if let supersessionsPerSecond { quotas.supersessionsPerSecond = supersessionsPerSecond }
    if let cancelsPerSecond { quotas.cancelsPerSecond = cancelsPerSecond }
    return quotas
  }
}
