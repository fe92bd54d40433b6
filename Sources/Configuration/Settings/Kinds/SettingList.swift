/// Writes a configuration as a file with the same settings, but without secrets; on request with each setting's origin.
package struct SettingList {
  private let showsOrigins: Bool
  private var lines: [String] = []

  package static func text(of configuration: FileConfiguration, showsOrigins: Bool) -> String {
    var list = SettingList(showsOrigins: showsOrigins)
    list.add(configuration.process)
    list.add(configuration.log, header: "[\(LogSettings.blockName)]")
    list.add(configuration.admin, header: "[\(AdminSettings.blockName)]")
    list.add(configuration.bounds, header: "[\(BoundSettings.blockName)]")
    list.add(configuration.fleet, header: "[\(FleetSettings.blockName)]")
    for listener in configuration.listeners {
      list.add(listener, header: "[[\(ListenerSettings.blockName)]]")
    }
    for principal in configuration.principals {
      list.add(principal, header: "[[\(PrincipalSettings.blockName)]]")
    }
    for issuer in configuration.issuers { list.add(issuer, header: "[[\(IssuerSettings.blockName)]]") }
    for upstream in configuration.upstreams {
      list.add(upstream, header: "[[\(UpstreamSettings.blockName)]]")
    }
    for route in configuration.routes { list.add(route, header: "[[\(RouteSettings.blockName)]]") }
    return list.lines.joined(separator: "\n")
  }

  private init(showsOrigins: Bool) { self.showsOrigins = showsOrigins }

  /// Settings that were not given and have no default are left out.
  private mutating func add<Values>(_ section: Section<Values>, header: String? = nil) {
    if let header { lines += ["", header] }
    for setting in Values.settings {
      guard let value = setting.shown(section.values) else { continue }
      let origin = showsOrigins ? "  # \(section.origin(of: setting.name))" : ""
      lines.append("\(setting.name) = \(value.toml)\(origin)")
    }
  }
}
