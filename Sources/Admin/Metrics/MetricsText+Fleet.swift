import Gateway

extension MetricsWriter {
  /// Writes the metrics of a fleet's member; nothing without a fleet.
  mutating func fleet(_ status: FleetStatus?) {
    guard let status else { return }
    add("lastword_fleet_members", .gauge, "Members that the fleet has.", UInt64(status.members.count))
    add(
      "lastword_fleet_acts", .gauge,
      "1 while this member may act for its partitions; 0: requests for them wait.",
      status.actsMilliseconds > 0 ? 1 : 0)
    let own = status.members.first(where: \.isSelf)?.partitions ?? 0
    add("lastword_fleet_partitions", .gauge, "Partitions that this member has.", UInt64(own))
    add(
      "lastword_fleet_partitions_unowned", .gauge, "Partitions that no member has.",
      UInt64(max(0, status.unownedPartitions)))
    add(
      "lastword_fleet_epoch", .gauge,
      "The highest epoch of a partition: it grows as partitions change their members.",
      UInt64(status.highestEpoch))
    add(
      "lastword_fleet_links", .gauge, "Connections to other members that stand.",
      UInt64(status.linksUp))
    add(
      "lastword_fleet_asking_loops", .gauge, "Loops of other members that are connected to this one.",
      UInt64(status.askingLoops))
    add(
      "lastword_fleet_differing_loops", .gauge,
      "Of these, loops of members that had another configuration than this one when they connected.",
      UInt64(status.differingLoops))
    add(
      "lastword_fleet_forwarded_requests_total", .counter,
      "Requests that were passed on to other members, which have their keys.", status.forwardedRequests)
    add(
      "lastword_fleet_parked_requests", .gauge,
      "Requests that wait for somebody to have their key, or to be reached.", UInt64(status.parkedRequests))
    add(
      "lastword_fleet_declared_dead_total", .counter, "How often this process has been declared dead.",
      UInt64(status.declaredDead))
  }
}
