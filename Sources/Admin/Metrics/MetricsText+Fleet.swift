import Gateway

extension MetricsWriter {
  /// Only of members.
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
      "lastword_fleet_links", .gauge, "Connections to other members that stand.",
      UInt64(status.linksUp))
    add(
      "lastword_fleet_parked_requests", .gauge,
      "Requests that wait for somebody to have their key, or to be reached.", UInt64(status.parkedRequests))
    add(
      "lastword_fleet_declared_dead_total", .counter, "How often this process has been declared dead.",
      UInt64(status.declaredDead))
  }
}
