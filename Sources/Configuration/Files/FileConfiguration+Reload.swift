/// The settings that can change while the gateway runs.
extension FileConfiguration {
  /// Complaints about changes since the start that need a restart.
  package func lastingChanges(since started: FileConfiguration) -> [Complaint] {
    Self.lastingChanges(from: started.process, to: process)
      + Self.lastingChanges(from: started.admin, to: admin)
      + Self.lastingChanges(from: started.fleet, to: fleet)
      + Self.lastingChanges(from: started.listeners, to: listeners)
      + Self.lastingChanges(from: started.upstreams, to: upstreams) + tlsChanges(since: started)
  }

  /// Which certificates it are may change, but not whether there are any.
  private func tlsChanges(since started: FileConfiguration) -> [Complaint] {
    let changed = zip(started.listeners, listeners).filter { $0.hasTLS != $1.hasTLS }.map { _, listener in
      let origin = listener.hasTLS ? listener.origin(of: "tls.certificate") : listener.origin
      return Complaint(origin, "whether a listener has TLS changes with a restart only")
    }
    guard started.fleet.hasTLS != fleet.hasTLS else { return changed }
    let origin = fleet.hasTLS ? fleet.origin(of: "tls.certificate") : fleet.origin
    return changed + [Complaint(origin, "whether members have TLS changes with a restart only")]
  }

  private static func lastingChanges<Values>(
    from started: [Section<Values>], to sections: [Section<Values>]
  ) -> [Complaint] {
    guard started.count == sections.count else {
      let origin = sections.last?.origin ?? .standard
      return [Complaint(origin, "the number of \(Values.shownBlock) changes with a restart only")]
    }
    return zip(started, sections).flatMap { lastingChanges(from: $0, to: $1) }
  }

  private static func lastingChanges<Values>(
    from started: Section<Values>, to section: Section<Values>
  ) -> [Complaint] {
    Values.settings.filter { $0.isLasting && $0.read(started.values) != $0.read(section.values) }.map {
      let origin = section.isGiven($0.name) ? section.origin(of: $0.name) : section.origin
      let message = "'\($0.name)' changes with a restart only"
      guard origin == .standard, let before = $0.read(started.values)?.toml else {
        return Complaint(origin, message)
      }
      return Complaint(started.origin(of: $0.name), message + ": it was \(before), and is not said any more")
    }
  }
}
