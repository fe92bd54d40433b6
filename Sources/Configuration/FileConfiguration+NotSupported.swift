/// What can be said but not done yet: each is refused where it is said, and nothing is ignored.
extension FileConfiguration {
  /// Bounds that are fixed: only their defaults are accepted.
  private static let fixedBounds = [
    "nestingLevels", "idBytes", "keyBytes", "methodBytes", "turnBytes", "firstByteMs", "messageMs", "idleMs",
  ]

  package func checkSupported() throws(ConfigurationError) {
    let complaints =
      listeners.flatMap { changes(of: ["scope", "eof", "errorProfile"], in: $0) }
      + changes(of: Self.fixedBounds, in: bounds)
      + upstreams.dropFirst().map { Complaint($0.origin, "more than one upstream is not supported yet") }
      + routes.flatMap(unsupported)
    guard complaints.isEmpty else { throw ConfigurationError(complaints) }
  }

  private func unsupported(in route: Section<RouteSettings>) -> [Complaint] {
    let supported = ["method", "compensate"]
    let others = RouteSettings.settings.map(\.name).filter { !supported.contains($0) }
    guard route.values.method.isPrefix else { return changes(of: others, in: route) }
    return changes(of: others, in: route) + [
      Complaint(route.origin(of: "method"), "'method' with a '*' is not supported yet")
    ]
  }

  private func changes<Values>(of names: [String], in section: Section<Values>) -> [Complaint] {
    names.compactMap { name in
      guard let setting = Values.setting(name), let value = setting.read(section.values),
        value != setting.standard
      else { return nil }
      let exception = setting.standard.map { " other than its default \($0.toml)" } ?? ""
      return Complaint(section.origin(of: name), "'\(name)'\(exception) is not supported yet")
    }
  }
}
