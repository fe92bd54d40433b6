import Identity

/// What an operator sees of clients, and does to them.
extension GatewayCore {
  // MARK: Seeing

  /// The use of each principal that has connected, in the order in which they first came.
  package var principalViews: [PrincipalView] {
    lanes.seenPrincipals.compactMap { number in
      let usage = lanes.usage(of: number)
      return edge.name(ofPrincipal: number).map {
        PrincipalView(
          name: $0, connections: edge.connectionCount(ofPrincipal: number), tasks: usage.tasks,
          callers: edge.callerCount(ofPrincipal: number), requestBytes: usage.requestBytes, tally: usage.tally
        )
      }
    }
  }

  /// What all principals together have done since the start, those included that are not there any more.
  package var principalTally: PrincipalTally { lanes.principalTally }

  /// The connections with the most tasks, of equals the older. Looks at every connection.
  /// - Parameter principal: of this one only; nil: of all.
  package func connectionViews(of principal: String?, limit: Int) -> [ConnectionView] {
    let views = edge.connected.map { view(of: $0) }
    return views.filter { !$0.isMirror && (principal == nil || $0.principal == principal) }.first(limit)
  }

  /// The same of all, mirrors included.
  package var connectionViews: [ConnectionView] { edge.connected.map { view(of: $0) } }

  private func view(of client: Int) -> ConnectionView {
    let account = edge.account(of: client)
    return ConnectionView(
      client: ClientID(slot: client), number: edge.number(of: client), listener: edge.listener(of: client),
      hasHeads: edge.hasHeads(client), principal: edge.name(of: client),
      requests: edge.unansweredCount(of: client),
      tasks: lanes.taskCount(of: account), heldBytes: edge.heldByteCount(of: client),
      requestBytes: lanes.requestByteCount(ofAccount: account), isMirror: edge.isMirror(client))
  }

  /// How many connections there were before a client's, itself included.
  package func number(of client: ClientID) -> UInt64 { edge.number(of: client.slot) }

  // MARK: Ending

  /// Ends all connections of a principal, and takes back what they asked; it may come again. Returns how many that were.
  package mutating func evict(principal name: String) -> Int {
    evict(edge.connected.filter { edge.name(of: $0) == name })
  }

  /// The same of one connection, by its number.
  package mutating func evict(connection number: UInt64) -> Int {
    evict(edge.connected.filter { edge.number(of: $0) == number })
  }

  private mutating func evict(_ clients: [Int]) -> Int {
    let clients = clients.filter { !edge.isGivenUp($0) && !edge.isMirror($0) }
    for client in clients { edge.evict(client) }
    endPosts()
    return clients.count
  }

  // MARK: The audit trail

  /// Switches the audit trail on or off.
  package mutating func audit(_ isOpen: Bool) { edge.audit(isOpen) }

  package var hasAuditEvents: Bool { edge.hasAuditEvents }

  /// Gives what was noted since the last time, and how many events found no place.
  package mutating func takeAuditEvents() -> (events: [AuditEvent], leftOut: UInt64) {
    edge.takeAuditEvents()
  }
}

extension [ConnectionView] {
  /// The connections with the most tasks, of equals the older.
  package func first(_ limit: Int) -> [ConnectionView] {
    Array(sorted { ($1.tasks, $0.number) < ($0.tasks, $1.number) }.prefix(limit))
  }
}
