/// Applies the settings of the environment and of flags.
extension FileConfiguration {
  mutating func applyAll(of sources: ConfigurationSources) -> [Complaint] {
    var complaints = EnvironmentNames.complaints(about: sources.environment)
    if !isAddressNamed(by: sources) { complaints += applyHostAndPort(in: sources.environment) }
    let all = EnvironmentNames.overrides(in: sources.environment) + sources.flags
    // The audience is set last, for the final addresses.
    let ordered = all.filter { $0.target != .audience } + all.filter { $0.target == .audience }
    // With several upstreams every override of "the upstream" is wrong: one complaint is enough.
    let few = upstreams.count == 1 ? ordered : ordered.filter { !$0.isOfUpstream }
    if let first = ordered.first(where: \.isOfUpstream), upstreams.count != 1 { complaints += apply(first) }
    for override in few { complaints += apply(override) }
    return complaints
  }

  private mutating func apply(_ override: Override) -> [Complaint] {
    do throws(Mistake) {
      switch override.target {
      case .process(let name): try process.set(name, override)
      case .log(let name): try log.set(name, override)
      case .admin(let name): try admin.set(name, override)
      case .bounds(let name): try bounds.set(name, override)
      case .fleet(let name): try fleet.set(name, override)
      case .listen: try replaceListeners(override)
      case .audience: try changeAudience(override)
      case .upstream(let name):
        if !override.isUsual || upstreams.first?.isGiven(name) != true { try changeUpstream(name, override) }
      case .compensation(let method): try changeCompensation(of: method, override)
      }
      return []
    } catch {
      return [Complaint(override.origin, error.message)]
    }
  }

  private mutating func replaceListeners(_ override: Override) throws(Mistake) {
    guard !override.texts.isEmpty else { throw Mistake("must name at least one address") }
    guard override.texts.count <= ListenerSettings.most else {
      throw Mistake("must name at most \(ListenerSettings.most) addresses")
    }
    if let (name, origin) = listeners.lazy.compactMap(\.saidBesideAddress).first {
      throw Mistake(
        "takes the place of every [[listen]], and '\(name)' (\(origin)) would be lost: change the 'address' there"
      )
    }
    var all: [Section<ListenerSettings>] = []
    for text in override.texts {
      var listener = Section<ListenerSettings>(origin: override.origin)
      try listener.set("address", Override(target: .listen, texts: [text], origin: override.origin))
      all.append(listener)
    }
    listeners = all
  }

  private mutating func changeAudience(_ override: Override) throws(Mistake) {
    var mistake: Mistake?
    for index in listeners.indices {
      do throws(Mistake) { try listeners[index].set("audience", override) } catch { mistake = error }
    }
    if let mistake { throw mistake }
  }

  /// Whether the file or another source names an address, be it a wrong one. The file has been read by now.
  private func isAddressNamed(by sources: ConfigurationSources) -> Bool {
    let variable = Override.Target.listen.environmentName
    return listeners.contains { $0.origin != .standard } || sources.flags.contains { $0.target == .listen }
      || variable.map { sources.environment[$0] != nil } == true
  }

  private mutating func applyHostAndPort(in environment: [String: String]) -> [Complaint] {
    guard let place = HostAndPort(in: environment) else { return [] }
    return place.complaints + (place.override.map { apply($0) } ?? [])
  }

  private mutating func changeCompensation(of method: String, _ override: Override) throws(Mistake) {
    let pattern = try MethodPattern(setting: method)
    if let index = routes.firstIndex(where: { $0.values.method == pattern }) {
      return try routes[index].set("compensate", override)
    }
    var route = Section<RouteSettings>(origin: override.origin)
    try route.set("method", Override(target: override.target, texts: [method], origin: override.origin))
    try route.set("compensate", override)
    routes.append(route)
  }

  private mutating func changeUpstream(_ name: String, _ override: Override) throws(Mistake) {
    guard upstreams.count == 1 else {
      throw Mistake(
        "is for a file's only [[upstream]], and this one has \(upstreams.count): change them there")
    }
    if case .flag = override.origin { noteReplaced(name) }
    // One address replaces several.
    if name == "address" { upstreams[0].forget("addresses") }
    try upstreams[0].set(name, override)
  }

  private mutating func noteReplaced(_ name: String) {
    for name in name == "address" ? ["address", "addresses"] : [name] {
      let origin = upstreams[0].origin(of: name)
      if case .file = origin { replacedInUpstream.append((name, origin)) }
    }
  }
}

extension Override {
  fileprivate var isOfUpstream: Bool { if case .upstream = target { true } else { false } }
}

extension Section<ListenerSettings> {
  /// A setting of a listener in the file that would not apply at another address.
  fileprivate var saidBesideAddress: (name: String, origin: Origin)? {
    guard fileOrigin != nil else { return nil }
    let name = ListenerSettings.settings.map(\.name).first {
      isGiven($0) && !["address", "audience", "mode"].contains($0)
    }
    return name.map { ($0, origin(of: $0)) }
  }
}

extension Section {
  fileprivate mutating func set(_ name: String, _ override: Override) throws(Mistake) {
    guard let setting = Values.setting(name) else {
      preconditionFailure("\(override.origin) is for no setting")
    }
    do throws(Mistake) {
      try set(setting, to: setting.form.value(of: override.texts), from: override.origin)
    } catch {
      refused.insert(name)
      throw error
    }
  }
}
