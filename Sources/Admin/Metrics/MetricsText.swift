import Gateway
import GatewayCore
import LibUV
import TaskStore

/// The text of `/metrics`: all of the gateway's counters and measures. No key and no method is in it.
enum MetricsText {
  static func of(
    _ metrics: GatewayMetrics, _ watch: FeedCounts, _ process: ProcessUsage, _ build: BuildName,
    _ fleet: FleetStatus? = nil
  ) -> [UInt8] {
    var writer = MetricsWriter()
    writer.begin(
      "lastword_build_info", .gauge, "Which lastword runs: its version, the commit, and how it was compiled.")
    writer.sample(
      "lastword_build_info",
      [("version", build.version), ("revision", build.revision), ("mode", build.mode)], 1)
    writer.requests(metrics)
    writer.tasks(metrics)
    writer.times(metrics)
    writer.clients(metrics)
    writer.principals(metrics.principals)
    writer.upstreams(metrics)
    writer.fleet(fleet)
    writer.feed(watch)
    writer.process(metrics, process)
    return writer.text
  }
}

extension MetricsWriter {
  /// The counts add up, by invariant 10: all admitted requests have ended one way or another, or are live.
  fileprivate mutating func requests(_ metrics: GatewayMetrics) {
    let counters = metrics.counters
    add(
      "lastword_requests_admitted_total", .counter,
      "Requests that were valid: as many as have ended and are open.", counters.admitted)
    begin("lastword_requests_ended_total", .counter, "Requests that are over, by what became of them.")
    for (outcome, count) in counters.outcomes {
      sample("lastword_requests_ended_total", [("outcome", "\(outcome)")], count)
    }
    add(
      "lastword_requests_open", .gauge, "Requests that wait for an answer.",
      UInt64(metrics.gauges.requests))
    add(
      "lastword_requests_joined_total", .counter, "Requests that share the work of another.", counters.joined)
    add(
      "lastword_requests_followed_total", .counter,
      "Times that a superseded request went over to the newer one instead of being refused.",
      counters.followed)
    add(
      "lastword_notifications_total", .counter, "Notifications, which are never answered.",
      counters.notifications)
    add(
      "lastword_notifications_lost_total", .counter,
      "Notifications that did not reach their upstream, or not as far as is known.",
      counters.notificationsLost)
    add(
      "lastword_messages_invalid_total", .counter, "Messages of clients that were no valid request.",
      counters.invalid)
  }

  fileprivate mutating func tasks(_ metrics: GatewayMetrics) {
    begin("lastword_tasks", .gauge, "Tasks by state; nobody waits for those that drain or are orphaned.")
    for (state, count) in metrics.gauges.tasks.states {
      sample("lastword_tasks", [("state", "\(state)")], UInt64(count))
    }
    add("lastword_lanes", .gauge, "Keys with a task.", UInt64(metrics.gauges.lanes))
    add(
      "lastword_tasks_orphaned_total", .counter,
      "Unwanted tasks that upstream did not end within their drain grace.", metrics.orphansSoFar)
    add(
      "lastword_tasks_forgotten_total", .counter,
      "Unwanted tasks of clients that are gone, forgotten early to make room at the bound of tasks.",
      metrics.counters.tasksForgotten)
    add(
      "lastword_payload_bytes", .gauge, "What requests that are kept ask.",
      UInt64(metrics.gauges.payloadBytes))
    addSeconds(
      "lastword_upstream_saved_seconds_total", .counter,
      "Work that upstreams did not do since nobody wanted it: the average time of an answer less what was spent.",
      milliseconds: metrics.counters.upstreamSavedMilliseconds)
  }

  fileprivate mutating func times(_ metrics: GatewayMetrics) {
    add(
      "lastword_task_queueing_seconds", "From a task's admission until it went upstream.",
      metrics.times.queueing)
    add(
      "lastword_task_upstream_seconds", "From when a task went upstream until its answer came.",
      metrics.times.upstream)
    add(
      "lastword_task_duration_seconds", "From a task's admission until its answer was delivered.",
      metrics.times.total)
    add(
      "lastword_task_first_piece_seconds",
      "From a task's admission until the first piece of its answer was delivered.", metrics.times.firstPiece)
    add(
      "lastword_dropped_answer_staleness_seconds",
      "How long before a dropped answer came it was not wanted any more.", metrics.times.staleness)
    add(
      "lastword_loop_turn_seconds", "How long a turn of the event loop took: so late is what came meanwhile.",
      metrics.loopLag)
  }

  fileprivate mutating func clients(_ metrics: GatewayMetrics) {
    let counters = metrics.counters
    add("lastword_client_connections", .gauge, "Clients connected.", UInt64(metrics.gauges.connections))
    add(
      "lastword_client_connections_opened_total", .counter, "Clients that have connected.",
      counters.clientConnections)
    add(
      "lastword_client_connections_given_up_total", .counter,
      "Clients disconnected because they said, or read, nothing for too long.", counters.clientsGivenUp)
    add(
      "lastword_client_connections_closed_for_memory_total", .counter,
      "Clients disconnected because they held most when memoryBytes or payloadBytes was reached.",
      counters.clientsClosedForRoom)
    begin(
      "lastword_authentications_total", .counter,
      "Connections that said who they are, and attempts at it that failed.")
    sample("lastword_authentications_total", [("outcome", "succeeded")], counters.authenticated)
    sample("lastword_authentications_total", [("outcome", "failed")], counters.failedAuthentications)
    begin(
      "lastword_authentication_failures_total", .counter, "Attempts that failed, by what was wrong with them."
    )
    for (reason, count) in metrics.logInFaults.samples {
      sample("lastword_authentication_failures_total", [("reason", reason)], count)
    }
    add(
      "lastword_unauthenticated_messages_total", .counter,
      "Messages of clients that had not said who they are, refused with -32087.", counters.unauthenticated)
    add(
      "lastword_forbidden_messages_total", .counter,
      "Messages of clients that may not do that, refused with -32088.", counters.forbidden)
    add(
      "lastword_client_connections_revoked_total", .counter,
      "Clients disconnected because a reload took away what they were known by, or asks who they are.",
      counters.clientsRevoked)
    add(
      "lastword_client_connections_evicted_total", .counter,
      "Clients disconnected because the operator said so.", counters.clientsEvicted)
    add(
      "lastword_client_connections_expired_total", .counter,
      "Clients disconnected because the tokens that they were known by have ended.", counters.tokensEnded)
    add(
      "lastword_principals_refused_total", .counter,
      "Clients that an issuer knows and that were refused because of issuedPrincipals.",
      counters.principalsRefused)
    add(
      "lastword_held_bytes", .gauge,
      "Unread output, half-received input, what requests ask, and sessions of TLS.",
      UInt64(metrics.gauges.heldBytes))
    begin("lastword_received_bytes_total", .counter, "Bytes that came, by who sent them.")
    sample("lastword_received_bytes_total", [("peer", "client")], counters.bytesFromClients)
    sample("lastword_received_bytes_total", [("peer", "upstream")], counters.bytesFromUpstreams)
    begin("lastword_sent_bytes_total", .counter, "Bytes that were sent, by whom they were for.")
    sample("lastword_sent_bytes_total", [("peer", "client")], counters.bytesToClients)
    sample("lastword_sent_bytes_total", [("peer", "upstream")], counters.bytesToUpstreams)
  }

  fileprivate mutating func feed(_ watch: FeedCounts) {
    add("lastword_live_pages", .gauge, "Live pages that are open.", UInt64(watch.watchers))
    add("lastword_live_events_sent_total", .counter, "Events that live pages were told.", watch.sent)
    add(
      "lastword_live_events_merged_total", .counter,
      "Events that found no place in what live pages are told at once.", watch.merged)
    add(
      "lastword_live_frames_dropped_total", .counter, "Frames of events that a live page was too slow for.",
      watch.dropped)
  }

  fileprivate mutating func process(_ metrics: GatewayMetrics, _ process: ProcessUsage) {
    add(
      "lastword_draining", .gauge, "1 while the gateway refuses new work because it stops.",
      metrics.isDraining ? 1 : 0)
    add(
      "lastword_log_lines_dropped_total", .counter, "Log lines that nobody took in time.",
      metrics.droppedLogLines)
    add(
      "lastword_audit_lines_dropped_total", .counter, "Lines of the audit log that found no room.",
      metrics.droppedAuditLines)
    add("process_resident_memory_bytes", .gauge, "Memory of the process.", process.residentBytes)
    addSeconds(
      "process_cpu_seconds_total", .counter, "Processor time of the process.",
      milliseconds: process.cpuMilliseconds)
    add("process_open_fds", .gauge, "Open file descriptors.", UInt64(process.openDescriptors))
    add("process_max_fds", .gauge, "The most file descriptors.", UInt64(process.descriptorLimit))
    addSeconds(
      "process_start_time_seconds", .gauge, "When the process started, since 1970.",
      milliseconds: process.startMilliseconds)
  }
}
