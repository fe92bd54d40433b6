import Addresses

/// Complaints about settings for browsers that contradict other settings of their listener.
extension FileConfiguration {
  func browserComplaints(about listener: Section<ListenerSettings>) -> [Complaint] {
    idleBrowserSettings(of: listener)
      + [everyOrigin(of: listener), unreachablePath(of: listener)].compactMap { $0 }
  }

  private func idleBrowserSettings(of listener: Section<ListenerSettings>) -> [Complaint] {
    guard listener.isSound("protocols"), !listener.values.servesBrowsers else { return [] }
    return ["origins", "hosts"].filter(listener.isGiven).map {
      Complaint(
        listener.origin(of: $0), "'\($0)' says nothing without 'http' or 'websocket' in 'protocols'")
    }
  }

  private func unreachablePath(of listener: Section<ListenerSettings>) -> Complaint? {
    guard listener.isSound("protocols", "mcpPath"), listener.mcpPath != nil,
      !listener.protocols.contains(.http)
    else { return nil }
    return Complaint(
      listener.origin(of: "mcpPath"), "'mcpPath' says nothing without 'http' in 'protocols'")
  }

  /// A credential that a browser sends by itself, or that is not needed, works for every page that somebody visits.
  private func everyOrigin(of listener: Section<ListenerSettings>) -> Complaint? {
    guard listener.isSound("origins"), listener.values.origins.contains(.every) else { return nil }
    return ambience(of: listener).map { reason in
      Complaint(
        listener.origin(of: "origins"),
        "'origins' must not be '*' where \(reason): every page that somebody visits would be let in; name those that may"
      )
    }
  }

  private func ambience(of listener: Section<ListenerSettings>) -> String? {
    if listener.isSound("tls.clientCA"), listener.clientCA != nil {
      return "clients are asked for certificates ('tls.clientCA'), which browsers show by themselves"
    }
    if listener.isSound("auth"), listener.authentication == .none {
      return "clients do not log in (auth = \"none\")"
    }
    if case .unix = listener.address, listener.isSound("address"),
      principals.contains(where: { !$0.users.isEmpty })
    {
      return "a [[principal]] has 'users' of Unix sockets, such as the proxy that browsers come through"
    }
    return nil
  }
}
