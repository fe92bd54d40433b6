/// The variables of the environment that are settings.
package enum EnvironmentNames {
  package static let prefix = "LASTWORD_"
  /// The variable with the path of the file, used if no flag gives it.
  package static let file = prefix + "CONFIG"

  private static let targets: [(name: String, target: Override.Target)] = Override.Target.all.compactMap {
    target in target.environmentName.map { ($0, target) }
  }

  /// Beginnings that only lastword's variables have.
  private static let blockPrefixes = [
    LogSettings.blockName, AdminSettings.blockName, BoundSettings.blockName,
    FleetSettings.blockName,
  ].map { "\(prefix)\($0.uppercased())_" }

  static func overrides(in environment: [String: String]) -> [Override] {
    targets.compactMap { name, target in
      guard let text = environment[name] else { return nil }
      let texts = target.isList ? text.split(separator: ",").map(String.init) : [text]
      return Override(target: target, texts: texts, origin: .environment(name))
    }
  }

  /// Whether Kubernetes made a variable of this name: it gives each container such variables for services.
  /// LASTWORD_ADMIN_PORT=tcp://10.0.0.1:80 belongs to a service called lastword-admin.
  private static func isOfService(_ name: String) -> Bool {
    name.hasSuffix("_SERVICE_HOST") || name.hasSuffix("_PORT") || name.contains("_PORT_")
  }

  /// Variables that other parts of the command read, and one for the tests.
  private static let others = ["TOKEN", "BINARY"].map { prefix + $0 }

  /// Warnings about variables that begin like settings but are never read. A mistake in a setting's name is a complaint
  /// instead.
  static func warnings(about environment: [String: String]) -> [Complaint] {
    let names = Set(targets.map(\.name) + [file] + others)
    return environment.keys.sorted().filter {
      $0.hasPrefix(prefix) && !names.contains($0) && !isOfService($0)
    }.map { Complaint(warningAt: .environment($0), "is no setting: nothing reads it") }
  }

  /// Complaints about unknown variables that begin with a block's name, or are nearly a setting's name. Others that
  /// only begin with `LASTWORD_` may belong to other programs.
  static func complaints(about environment: [String: String]) -> [Complaint] {
    let names = targets.map(\.name) + [file]
    return environment.keys.sorted().compactMap { name in
      guard name.hasPrefix(prefix), !names.contains(name), !isOfService(name) else { return nil }
      if let block = blockWithout(variable: name) {
        return Complaint(.environment(name), "unknown variable; only the file says this, in \(block)")
      }
      let isOfBlock = blockPrefixes.contains { name.hasPrefix($0) }
      let hint = NearestName.hint(for: name, among: names)
      guard isOfBlock || !hint.isEmpty else { return nil }
      return Complaint(.environment(name), "unknown variable" + hint)
    }
  }

  /// The block of the file with a setting of this name, which no variable can set: `LASTWORD_AUTH` must not seem to
  /// have an effect.
  private static func blockWithout(variable name: String) -> String? {
    let blocks = [
      (ListenerSettings.shownBlock, ListenerSettings.settings.map(\.name)),
      (PrincipalSettings.shownBlock, PrincipalSettings.settings.map(\.name)),
      (RouteSettings.shownBlock, RouteSettings.settings.map(\.name)),
    ]
    return blocks.first { $0.1.contains { Override.Target.environmentName([$0]) == name } }?.0
  }
}
