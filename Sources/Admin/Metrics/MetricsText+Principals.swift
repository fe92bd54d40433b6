import Gateway
import GatewayCore

/// Metrics of principals.
extension MetricsWriter {
  mutating func principals(_ samples: [PrincipalView]) {
    guard !samples.isEmpty else { return }
    add("connections", .gauge, "Connections of a principal.", samples) { UInt64($0.connections) }
    add("tasks", .gauge, "Tasks of a principal that have not ended.", samples) { UInt64($0.tasks) }
    add("callers", .gauge, "Requests of a principal that wait for an answer.", samples) { UInt64($0.callers) }
    add("payload_bytes", .gauge, "Bytes of what a principal's tasks that have not ended ask.", samples) {
      UInt64($0.requestBytes)
    }
    add("requests_total", .counter, "Requests and notifications of a principal.", samples) {
      $0.tally.requests
    }
    add("superseded_total", .counter, "Callers that a principal's requests superseded.", samples) {
      $0.tally.superseded
    }
    add("cancelled_total", .counter, "Requests that a principal cancelled.", samples) { $0.tally.cancelled }
    add("refused_total", .counter, "Messages beyond a principal's quotas, refused with -32082.", samples) {
      $0.tally.refused
    }
  }

  private mutating func add(
    _ name: String, _ kind: Kind, _ help: String, _ principals: [PrincipalView],
    _ value: (PrincipalView) -> UInt64
  ) {
    begin("lastword_principal_\(name)", kind, help)
    for principal in principals {
      sample("lastword_principal_\(name)", [("principal", principal.name)], value(principal))
    }
  }
}
