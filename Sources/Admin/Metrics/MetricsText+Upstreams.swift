import Gateway
import GatewayCore

extension MetricsWriter {
  mutating func upstreams(_ metrics: GatewayMetrics) {
    traffic(metrics.counters)
    connections(metrics.counters)
    perUpstream(
      "lastword_upstream_endpoints", "Addresses of an upstream that clients share.", metrics
    ) { $0.endpoints }
    perUpstream(
      "lastword_upstream_endpoints_connected", "Addresses that requests can be sent to at once.", metrics
    ) { $0.connectedEndpoints }
    perUpstream(
      "lastword_upstream_requests_in_flight", "Requests that an upstream works on, unwanted ones too.",
      metrics
    ) { $0.inFlight }
    perUpstream(
      "lastword_upstream_requests_waiting", "Requests that wait for a connection or for their turn.", metrics
    ) { $0.waiting }
  }

  private mutating func traffic(_ counters: GatewayCounters) {
    add(
      "lastword_upstream_requests_sent_total", .counter, "Requests and notifications sent upstream.",
      counters.sentUpstream)
    add(
      "lastword_upstream_cancels_sent_total", .counter, "Cancellations sent upstream.", counters.cancelsSent)
    begin(
      "lastword_upstream_answers_dropped_total", .counter,
      "Answers that reached nobody: nobody wanted them any more, or they answered nothing.")
    sample("lastword_upstream_answers_dropped_total", [("reason", "late")], counters.droppedLate)
    sample("lastword_upstream_answers_dropped_total", [("reason", "unknown")], counters.droppedUnknown)
    add(
      "lastword_pieces_total", .counter, "Pieces of answers that callers were given.", counters.pieces)
    add(
      "lastword_upstream_pieces_dropped_total", .counter,
      "Pieces and reports of progress that reached nobody: nobody wanted them any more, or takes none.",
      counters.droppedPieces)
    add(
      "lastword_upstream_compensations_sent_total", .counter,
      "Tasks that succeeded unwanted, and that upstream was asked to undo.", counters.compensationsSent)
    add(
      "lastword_upstream_compensations_failed_total", .counter,
      "Tasks that upstream was asked to undo, and did not.",
      counters.compensationsFailed)
    add(
      "lastword_upstream_compensations_lost_total", .counter,
      "Tasks that would have had to be undone, had they succeeded: they were given up before that was known.",
      counters.compensationsLost)
    add(
      "lastword_upstream_messages_relayed_total", .counter,
      "Messages of upstreams to the clients that they belong to, and the answers.", counters.relayed)
    add(
      "lastword_messages_unsolicited_total", .counter, "Messages that nobody had asked for: dropped.",
      counters.unsolicited)
    add(
      "lastword_upstream_noise_total", .counter,
      "Times that a child printed what is no message between its messages: skipped.",
      counters.noise)
  }

  private mutating func connections(_ counters: GatewayCounters) {
    add(
      "lastword_upstream_connections_opened_total", .counter, "Connections to upstreams that came about.",
      counters.upstreamConnections)
    add(
      "lastword_upstream_connections_lost_total", .counter, "Connections to upstreams that were lost.",
      counters.upstreamDisconnections)
  }

  private mutating func perUpstream(
    _ name: String, _ help: String, _ metrics: GatewayMetrics, _ value: (UpstreamGauges) -> Int
  ) {
    begin(name, .gauge, help)
    for upstream in metrics.upstreams {
      sample(name, [("upstream", upstream.name)], UInt64(value(upstream.gauges)))
    }
  }
}
