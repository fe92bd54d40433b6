/// A setting that the environment or a flag gives.
package struct Override: Hashable, Sendable {
  /// What an override sets: any setting that exists only once, and a few of listeners and upstreams.
  package enum Target: Hashable, Sendable {
    case process(String)
    case log(String)
    case admin(String)
    case bounds(String)
    case fleet(String)
    /// Replaces all listeners.
    case listen
    /// The audience of all listeners, whatever source they come from.
    case audience
    /// A setting of the only upstream.
    case upstream(String)
    /// The compensation of the route for one method; the route is added if there is none.
    case compensation(of: String)
  }

  package let target: Target
  package let texts: [String]
  package let origin: Origin
  /// Whether it is only a default, used if neither the file nor the environment gives the setting.
  package var isUsual = false

  package static func flag(_ name: String, _ target: Target, _ texts: [String]) -> Override {
    Override(target: target, texts: texts, origin: .flag(name))
  }

  /// A command's own default for a setting of its upstream.
  package static func usual(_ name: String, ofUpstream setting: String, _ text: String) -> Override {
    var override = flag(name, .upstream(setting), [text])
    override.isUsual = true
    return override
  }
}

extension Override.Target {
  static let all: [Self] =
    ProcessSettings.settings.map { .process($0.name) } + LogSettings.settings.map { .log($0.name) }
    + AdminSettings.settings.map { .admin($0.name) } + BoundSettings.settings.map { .bounds($0.name) }
    + FleetSettings.settings.map { .fleet($0.name) } + [.listen, .audience]
    + UpstreamSettings.settings.map { .upstream($0.name) }

  /// `LASTWORD_BOUNDS_MESSAGE_BYTES`.
  package var environmentName: String? {
    switch self {
    case .process(let name): Self.environmentName([name])
    case .log(let name): Self.environmentName([LogSettings.blockName, name])
    case .admin(let name): Self.environmentName([AdminSettings.blockName, name])
    case .bounds(let name): Self.environmentName([BoundSettings.blockName, name])
    case .fleet(let name): Self.environmentName([FleetSettings.blockName, name])
    case .listen: Self.environmentName([ListenerSettings.blockName])
    case .audience: Self.environmentName([ListenerSettings.blockName, "audience"])
    case .upstream("address"): Self.environmentName(["upstream"])
    case .upstream(let name) where Self.plainUpstreamNames.contains(name): Self.environmentName([name])
    case .upstream: nil
    case .compensation: nil
    }
  }

  /// Whether it takes several texts, which the environment separates by commas.
  var isList: Bool {
    switch self {
    case .process(let name): Self.isList(name, of: ProcessSettings.self)
    case .log(let name): Self.isList(name, of: LogSettings.self)
    case .admin(let name): Self.isList(name, of: AdminSettings.self)
    case .bounds(let name): Self.isList(name, of: BoundSettings.self)
    case .fleet(let name): Self.isList(name, of: FleetSettings.self)
    case .upstream(let name): Self.isList(name, of: UpstreamSettings.self)
    case .listen: true
    case .audience, .compensation: false
    }
  }

  private static func isList<Values: SettingValues>(_ name: String, of _: Values.Type) -> Bool {
    Values.setting(name)?.form.isList ?? false
  }

  /// The settings of an upstream that have short names of their own.
  private static let plainUpstreamNames = ["framing", "trustAnswers", "perConnection", "cancel"]

  static func environmentName(_ words: [String]) -> String {
    var result = EnvironmentNames.prefix
    for (index, word) in words.enumerated() {
      if index > 0 { result += "_" }
      for letter in word {
        if letter.isUppercase || letter == "." { result += "_" }
        if letter != "." { result += letter.uppercased() }
      }
    }
    return result
  }
}
